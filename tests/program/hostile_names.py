# SPDX-License-Identifier: MIT
"""hostile_names.py RECORD DIRECTORY: the record again and again, each time with another hostile name for a GPU, a
variable, a path and the system. For the tests of formats that other programs read."""
import json
import pathlib
import sys

names = ['quote " apostrophe \' back \\ tick `', "line\nbreak", "carriage\rreturn", "tab\there", "pipe | bar || end|",
         "backslash \\", "\\n \\x41 \\\\", "100% %0A %25 %s %n", "::error title=x::injected", "\n::error::injected",
         "##[error]injected", "<script>alert(1)</script>", "</failure></testcase>", "]]>", "&amp; &#0; &",
         "<!-- --> --> <!--", "'x'=1;2;3;4 | y=5", 'a="b",c="d"} 1\ngpuenv_evil{x="y"} 1', "# HELP evil evil", "\x1b[2J\x1b[31mred\x07",
         "\u202eevil\u202c \u2028 \u2066", "\ufffe\uffff \U0001f600 \u00e4", "\udcff\udcfe invalid", "x" * 5000,
         "\u00fc" * 3000, "", " ", "=", ",", "* _ ~ # [a](javascript:x) ![i](http://x) @user #1 http://a.b www.a.b $x$",
         "```\n~~~\n    code\n> quote\n- list\n---", "| a | b |\n|---|---|", "-rf --version ;reboot $(reboot) `reboot`",
         "feature.node.kubernetes.io/evil=1", "..--__..", "\x01\x02\x7f\x80", "$HOSTADDRESS$ $USER1$ $ARG1$ !x",
         "::stop-commands::pause\n::add-mask::a", "# +expiry-time=2001-01-01T00:00:00Z", "[^1]: note <details><summary>x",
         "title\n===", "&lt;b&gt; &colon;", "NaN", "# EOF"]
record = json.load(open(sys.argv[1]))
directory = pathlib.Path(sys.argv[2])
directory.mkdir()
def fact(name):
    try:
        name.encode()
    except UnicodeEncodeError:
        data = name.encode("utf-8", "surrogateescape")
        return {"value": "".join(chr(b) if b < 128 else f"\\x{b:02x}" for b in data), "bytes": data.hex(), "source": "test"}
    return {"value": name, "source": name}
for number, name in enumerate(names):
    facts = record
    for group, key in (("nvml/0", "name"), ("nvml/0", "uuid"), ("environment", "CUDA_VISIBLE_DEVICES"),
                       ("environment", "LD_LIBRARY_PATH"), ("os", "pretty_name"), ("kernel", "release")):
        facts.setdefault(group, {})[key] = fact(name)
    (directory / f"{number:02}.json").write_text(json.dumps(record))
