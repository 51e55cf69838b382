/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"

#include "probe/framework/framework.h"
#include "probe/python/python_world.h"

static void note_active(const struct python_environment *environment, struct facts *facts)
{
    if (environment->active == PYTHON_ACTIVE_UNKNOWN)
        facts_set_unknown(facts, environment->group, "active", "nothing says which Python to use",
                          environment->directory);
    else
        facts_set_boolean(facts, environment->group, "active", environment->active == PYTHON_ACTIVE,
                          environment->directory);
}

static void note_environment(const struct python_environment *environment, struct facts *facts)
{
    const char *group = environment->group, *source = environment->directory;
    facts_set_string(facts, group, "directory", environment->directory, source);
    facts_set_string(facts, group, "kind", environment->kind, source);
    facts_set_list(facts, group, "named_by", &environment->named_by, source);
    facts_set_string(facts, group, "version", environment->version,
                     environment->version ? environment->version_source : source);
    facts_set_boolean(facts, group, "free_threaded", environment->free_threaded, source);
    note_active(environment, facts);
    facts_set_boolean(facts, group, "system_site", environment->system_site, source);
    facts_set_list(facts, group, "sites", &environment->sites, source);
    if (environment->unread)
        facts_set_unknown(facts, group, "packages", environment->unread, source);
    else
        facts_set_integer(facts, group, "packages", (int64_t)environment->package_count, source);
    facts_set_list(facts, group, "broken", &environment->broken, source);
    facts_set_string(facts, group, "base", environment->base, source);
    facts_set_string(facts, group, "program_broken", environment->program_broken, source);
}

static void note_world(const struct python_world *world, struct facts *facts)
{
    static const char source[] = "VIRTUAL_ENV, CONDA_PREFIX, PATH, places of Python environments";
    for (size_t i = 0; i < world->count; i++)
        note_environment(&world->items[i], facts);
    if (world->truncated)
        facts_set_unknown(facts, "python", "count", "more environments than gpuenv looks at",
                          source);
    else
        facts_set_integer(facts, "python", "count", (int64_t)world->count, source);
    facts_set_string(facts, "python", "active", world->active, source);
}

/* Why what programs import is not known: packages of the active Python that nobody may list. */
static const char *why_unread(const struct python_world *world)
{
    for (size_t i = 0; i < world->count; i++)
        if (world->items[i].unread && world->items[i].active == PYTHON_ACTIVE)
            return world->items[i].unread;
    return NULL;
}

static void note_frameworks(struct framework_work *work, struct frameworks *frameworks)
{
    static const char source[] = "metadata of Python and conda packages, folders of frameworks";
    for (size_t i = 0; i < frameworks->count && !host_is_late(work->host); i++)
        framework_note(work, &frameworks->items[i]);
    if (frameworks->count == FRAMEWORKS_MAX)
        facts_set_unknown(work->facts, "framework", "count", "more than gpuenv keeps", source);
    else if (why_unread(work->world))
        facts_set_unknown(work->facts, "framework", "count", why_unread(work->world), source);
    else
        facts_set_integer(work->facts, "framework", "count", (int64_t)frameworks->count, source);
}

void probe_python(const struct probe_context *context, struct facts *facts)
{
    AUTO_WORLD struct python_world world = {.items = NULL};
    AUTO(frameworks_free) struct frameworks frameworks = {.items = NULL};
    python_world_find(context->host, context->pythons, context->sites, &world);
    struct framework_work work = {.host = context->host,
                                  .loader = context->loader,
                                  .world = &world,
                                  .knowledge = context->knowledge,
                                  .facts = facts};
    note_world(&world, facts);
    frameworks_find(context->host, &world, &frameworks);
    work.frameworks = &frameworks;
    note_frameworks(&work, &frameworks);
    for (size_t i = 0; i < world.count; i++)
        framework_note_misfits(&work, &world.items[i]);
    framework_note_wheels(&work);
    framework_note_loads(&work, &frameworks);
    library_memo_free(&work.versions);
}
