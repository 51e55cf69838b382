/* SPDX-License-Identifier: MIT */

#include "install/print/print_settled.h"
#include "install/run/run.h"

bool settled_has_changed(const struct run *run)
{
    return run->link.has_changed || run->loader_conf.has_changed;
}

static void append_line(const char *words, const char *path, const char *more, const char *target,
                        struct text *output)
{
    text_append(output, words);
    text_append_safe(output, path);
    text_append(output, more);
    if (target)
        text_append_safe(output, target);
    text_append_char(output, '\n');
}

static void print_link(const struct run *run, bool planned, struct text *output)
{
    const struct link_change *link = &run->link;
    bool gone = run->request->action == ACTION_UNINSTALL;
    if (link->path == NULL)
        return;
    if (gone && link->now) {
        append_line("  ", link->path, " leads to ", link->now, output);
        text_printf(output, "  update-alternatives chose this target (group %s)\n", link->group);
        return;
    }
    if (gone) {
        append_line("  removed the link ", link->path, "", NULL, output);
        return;
    }
    append_line(planned && link->has_changed ? "would link " : "", link->path,
                link->has_changed ? " -> " : " leads there already: ", link->target, output);
    if (link->has_changed && link->group)
        text_printf(output, "  by update-alternatives, group %s\n", link->group);
    if (link->has_changed && link->leads_to)
        append_line("  before: ", link->leads_to, "", NULL, output);
}

static void print_loader_conf(const struct run *run, bool planned, struct text *output)
{
    const struct loader_conf *conf = &run->loader_conf;
    if (conf->path == NULL)
        return;
    if (run->request->action == ACTION_UNINSTALL)
        append_line("  removed ", conf->path, " and ran ldconfig", NULL, output);
    else if (conf->has_changed)
        append_line(planned ? "would write " : "wrote ", conf->path,
                    planned ? " and run ldconfig" : " and ran ldconfig", NULL, output);
    else
        append_line("", conf->path, " is there already", NULL, output);
}

void print_settled(const struct run *run, bool planned, struct text *output)
{
    print_loader_conf(run, planned, output);
    print_link(run, planned, output);
    if (run->request->root)
        append_line("in the image ", run->request->root, "", NULL, output);
}

void print_settled_json(const struct run *run, json_t *json)
{
    const struct link_change *link = &run->link;
    const struct loader_conf *conf = &run->loader_conf;
    if (link->path) {
        json_t *row = json_object();
        json_set_string(row, "path", link->path);
        json_set_string(row, "target", link->target);
        json_set_string(row, "before", link->before);
        json_set_string(row, "leads_to", link->leads_to);
        json_set_string(row, "alternatives", link->group);
        json_set_string(row, "now", link->now);
        json_object_set_new(row, "changed", json_boolean(link->has_changed));
        json_object_set_new(json, "link", row);
    }
    if (conf->path) {
        json_t *row = json_object();
        json_set_string(row, "path", conf->path);
        json_object_set_new(row, "changed", json_boolean(conf->has_changed));
        json_object_set_new(json, "loader_conf", row);
    }
}
