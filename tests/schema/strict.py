# SPDX-License-Identifier: MIT
"""docs/reference/schema as one document in which nothing is open: what schema/all-outputs validates against.

A key that no schema names fails, and so does a word that is not among those of an open list, a fact that
the dictionary does not have, and a cell that docs/reference/manifest.md does not name. The schemas use only
keywords that draft 7 has too, so an older jsonschema, which does not know draft 2020-12, says the same."""
import json
import os
import re
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # a newer jsonschema deprecates what an older one needs
import jsonschema  # noqa: E402  pylint: disable=wrong-import-position

OPEN_WORDS = "More words may come."
# Keywords of schemas, by what they hold: schemas by name, one schema, a list of schemas.
BY_NAME, SINGLE, LISTED = ("properties", "$defs", "patternProperties"), ("items", "additionalProperties"), ("anyOf", "oneOf", "allOf")
# All that a schema may use: each means the same in draft 7 and in draft 2020-12. ("$defs" is only led into.)
KEYWORDS = {*BY_NAME, *SINGLE, *LISTED, "$schema", "$ref", "title", "description", "type", "required", "enum", "const",
            "examples", "minimum", "pattern"}
FACT_TYPES = {"text": {"type": "string"}, "number": {"type": "integer"}, "yes or no": {"type": "boolean"},
              "list": {"type": "array"}}


def validator_class():
    """Of draft 2020-12, or of draft 7 where jsonschema is older than 4."""
    return getattr(jsonschema, "Draft202012Validator", jsonschema.Draft7Validator)


def load(directory):
    """The schemas by the names of their files."""
    schemas = {}
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            schemas[name] = json.load(file)
    return schemas


def every(schema):
    """The schema and all that stand in it."""
    yield schema
    for key in BY_NAME:
        for part in schema.get(key, {}).values():
            yield from every(part)
    for key in SINGLE:
        if isinstance(schema.get(key), dict):
            yield from every(schema[key])
    for key in LISTED:
        for part in schema.get(key, []):
            yield from every(part)


def make_strict(schema):
    """In place: no key that is not named, no word that is not listed."""
    for part in every(schema):
        if "properties" in part:
            part.setdefault("additionalProperties", False)
        if part.get("description", "").endswith(OPEN_WORDS) and "examples" in part:
            part["enum"] = part["examples"] + ([None] if "null" in part["type"] else [])


def add_facts(schema, dictionary):
    """dictionary: what facts-doc prints. Facts have the names and types of their kind there."""
    groups = {}
    rows = re.findall(r"^\| `([^`/]+)(/…)?` \| `([^`]+)` \| ([^|]+) \|", dictionary, re.M)
    for kind, instance, name, words in rows:
        group = groups.setdefault(f"^{kind}/." if instance else f"^{kind}$",
                                  {"type": "object", "properties": {}, "additionalProperties": False})
        fact = {"allOf": [{"$ref": "#/$defs/fact"}, {"properties": {"value": FACT_TYPES[words]}}]}
        if name == "*":
            group["additionalProperties"] = fact
        else:
            group["properties"][name] = fact
    facts = schema["properties"]["facts"]
    facts.update(additionalProperties=False, patternProperties=groups)


def add_cells(table, manual):
    """manual: docs/reference/manifest.md. A row has the keys that stand in a table of its subject there."""
    table["allOf"] = []
    for section in re.split(r"^### ", manual, flags=re.M)[1:]:
        names = {"id", "source", "confidence", "notes"}
        for line in re.findall(r"^\|.*", section, re.M):
            names.update(re.findall(r"`([a-z0-9_]+)`", " ".join(line.split("|")[1:3])))
        row = {"propertyNames": {"enum": sorted(names)}}
        subject = {"subject": {"const": section.split("\n", 1)[0].strip()}}
        table["allOf"].append({"if": {"properties": subject},
                               "then": {"properties": {"rows": {"items": row}}}})


def lead_references(schema, file):
    """In place: references lead into the one document of bundle()."""
    for part in every(schema):
        if "$ref" in part:
            name, pointer = part["$ref"].split("#")
            part["$ref"] = f"#/$defs/{name or file}{pointer}"


def bundle(schemas):
    """All schemas in one document: each is #/$defs/NAME there."""
    copies = json.loads(json.dumps(schemas))
    for name, schema in copies.items():
        lead_references(schema, name)
    return {"$defs": copies}


def strict(schemas, dictionary, manual):
    """As bundle(), with nothing open."""
    copies = json.loads(json.dumps(schemas))
    for schema in copies.values():
        make_strict(schema)
    add_facts(copies["facts.json"], dictionary)
    add_cells(copies["common.json"]["$defs"]["table"], manual)
    return bundle(copies)


TEXT = "/"  # stands for any text: no pattern and no list of words has it


def parse(text):
    """A document, with numbers and names of temporary directories alike where only they differ: what is alike
    is looked at once."""
    return json.loads(re.sub(r"tmp\.[A-Za-z0-9]{10}", "tmp.X", text),
                      parse_float=lambda number: -0.5 if number[0] == "-" else 0.5,
                      parse_int=lambda number: int(number) if len(number) < 4 else int(number[:3]))


def plain(value):
    """TEXT for a string that is a sentence or a path; no word of a list is one, and nothing with a pattern."""
    if isinstance(value, str) and ("/" in value or (len(value) > 24 and " " in value)):
        return TEXT
    return value


def pieces_of_facts(schema, groups):
    """Each fact by itself: instances of a kind are alike, and so are texts, and names where any name will do."""
    for group, facts in groups.items():
        kind, slash, instance = group.partition("/")
        group = f"{kind}{slash}{'instance' if instance else ''}"
        any_name = schema["patternProperties"].get(f"^{kind}$", {}).get("additionalProperties")
        if not isinstance(facts, dict) or not facts:
            yield {group: facts}
            continue
        for name, fact in facts.items():
            if isinstance(fact, dict):
                fact = {key: TEXT if isinstance(value, str) else value for key, value in fact.items()}
            yield {group: {"name" if any_name else name: fact}}


class Judge:
    """Validates documents, each piece of them once."""

    def __init__(self, whole):
        self.whole = whole
        self.validators = {}
        self.seen = set()
        self.required = {name: set(schema["required"]) for name, schema in whole["$defs"].items() if "required" in schema}

    def resolve(self, pointer):
        """The pointer with references followed, and the schema there."""
        schema = self.whole
        for step in pointer.split("/")[1:]:
            schema = schema[step]
        return self.resolve(schema["$ref"]) if "$ref" in schema else (pointer, schema)

    def cut(self, pointer, document):
        """The pieces of a document, each with its pointer: what stands in its lists, and the rest."""
        pointer, schema = self.resolve(pointer)
        rest = dict(document)
        for key, value in document.items():
            if key not in schema.get("properties", {}):
                continue
            inner, part = self.resolve(f"{pointer}/properties/{key}")
            if isinstance(value, list) and value and "items" in part:
                rest[key] = []
                for item in value:
                    if isinstance(item, dict):
                        item = {name: plain(inside) for name, inside in item.items()}
                    yield f"{inner}/items", plain(item)
            elif isinstance(value, dict) and "patternProperties" in part:
                rest[key] = {}
                for piece in pieces_of_facts(part, value):
                    yield inner, piece
        yield pointer, rest

    def problems(self, kind, document):
        """What is wrong with a document of a kind: texts."""
        found = []
        for pointer, piece in self.cut(f"#/$defs/{kind}", document):
            key = (pointer, json.dumps(piece))
            if key in self.seen:
                continue
            errors = [describe(error) for error in self.validator(pointer).iter_errors(piece)]
            found += [f"{pointer[8:]}: {error}" for error in errors]
            if not errors:
                self.seen.add(key)
        return found

    def validator(self, pointer):
        if pointer not in self.validators:
            self.validators[pointer] = validator_class()({"$ref": pointer, **self.whole})
        return self.validators[pointer]

    def kinds(self, document):
        """The kinds that a document may be of: those that have most of its keys among the required ones."""
        if "event" in document:
            return ["progress.json"]
        fitting = {name: len(keys) for name, keys in self.required.items() if keys <= document.keys()}
        return [name for name, count in fitting.items() if count == max(fitting.values())]

    def judge(self, document):
        """(kind or None, problems): of several kinds the one that it is valid as."""
        tried = {kind: self.problems(kind, document) for kind in self.kinds(document)}
        valid = [kind for kind, problems in tried.items() if not problems]
        if len(valid) == 1:
            return valid[0], []
        if len(valid) > 1:
            return None, [f"is {' and '.join(valid)} alike: their schemas do not tell them apart"]
        if not tried:
            return None, [f"matches no schema: it has the keys {', '.join(document)}"]
        kind = min(tried, key=lambda each: len(tried[each]))
        return kind, tried[kind]


def describe(error):
    """Where and what, of the innermost error."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    return f"{'/'.join(map(str, error.absolute_path)) or 'there'}: {error.message[:300]}"
