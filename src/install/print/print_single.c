/* SPDX-License-Identifier: MIT */
#include "install/print/print_single.h"

#include <string.h>

#include "base/path.h"
#include "base/wrap.h"
#include "install/print/print_plan.h"
#include "install/run/run.h"
#include "install/run/run_index.h"
#include "install/run/run_single.h"
#include "manifest/toolkit/legacy.h"

/* Whether any archive of the plan may be asked of a mirror. */
static bool asks_mirrors(const struct run *run)
{
    if (run->request->mirrors.count > 0 || run->plan.item_count == 0)
        return true;
    for (size_t i = 0; i < run->plan.item_count; i++)
        if (run->plan.items[i].layout == NULL)
            return true;
    return false;
}

static bool has_runfile(const struct run *run)
{
    for (size_t i = 0; i < run->plan.item_count; i++) {
        const struct plan_item *item = &run->plan.items[i];
        if (!item->there && item->layout && string_equal(item->layout->format, "runfile"))
            return true;
    }
    return false;
}

/* NVIDIA's patches of a release, by their files. */
static void patches_of(const struct run *run, const struct plan_item *item, struct strlist *files)
{
    size_t count;
    struct version release;
    const struct manifest_runfile *rows = manifest_runfiles(run->manifest, &count);
    if (!version_parse(item->release, &release))
        return;
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].kind, "patch") && string_equal(rows[i].platform, item->platform) &&
            version_within(&rows[i].version, &release))
            strlist_add_new(files, rows[i].file);
}

static void print_patches(const struct run *run, struct text *output)
{
    AUTO_STRLIST struct strlist files = {0};
    for (size_t i = 0; i < run->plan.item_count; i++)
        if (run->plan.items[i].layout && string_equal(run->plan.items[i].product, "cuda"))
            patches_of(run, &run->plan.items[i], &files);
    if (files.count == 0)
        return;
    AUTO_FREE char *list = strlist_join(&files, ", ");
    AUTO_FREE char *words = mem_printf("NVIDIA has patches of this release, which gpuenv does not "
                                       "install: %s",
                                       list);
    print_reason(2, "note", words, output);
}

void print_single_notes(const struct run *run, struct text *output)
{
    if (!has_runfile(run))
        return;
    print_reason(2, "note",
                 "gpuenv unpacks the runfile and never runs the script in it. NVIDIA's installer "
                 "would also write a file in /etc/ld.so.conf.d (--ldconfig does), desktop files, "
                 "the starters bin/nvvp and bin/nsight, and an uninstaller",
                 output);
    print_patches(run, output);
    print_single_untried(run, output);
}

bool print_singles_to_get(const struct run *run, struct text *output)
{
    AUTO_FREE char *command = run_singles_command(run);
    if (command == NULL)
        return false;
    text_append(output, "\ngpuenv does not fetch these files by itself:\n");
    for (size_t i = 0; i < run->plan.item_count; i++) {
        const struct plan_item *item = &run->plan.items[i];
        char hex[DIGEST_HEX_SIZE];
        if (!run_is_single_to_get(run, i))
            continue;
        text_append(output, "  ");
        text_append_safe(output, path_base(item->path));
        text_append(output, "\n    ");
        text_append_safe(output, item->url ? item->url : "no address is known");
        text_printf(output, "\n    sha256 %s\n", digest_hex(&item->sha256, hex));
    }
    text_append(output, "When you have them, and have read the licences:\n  ");
    text_append_safe(output, command);
    text_append(output, " --accept-eula\n");
    return true;
}

void print_single_untried(const struct run *run, struct text *output)
{
    if (has_runfile(run))
        print_reason(2, "note",
                     "gpuenv was tested with look-alikes of NVIDIA's runfiles, not with the files "
                     "themselves: please report it if files are missing or in the wrong place, "
                     "with the output of gpuenv plan -v and find PREFIX",
                     output);
}

static void print_source(const char *base, bool *is_first, struct text *output)
{
    struct wrap wrap;
    print_line_begin(&wrap, *is_first ? "from" : "or from", output);
    wrap_unsplit(&wrap, base);
    wrap_end(&wrap);
    *is_first = false;
}

void print_sources(const struct run *run, struct text *output)
{
    const struct strlist *indexes = &run->request->indexes;
    bool is_first = true, on_index = false, on_mirror = asks_mirrors(run);
    for (size_t i = 0; i < run->plan.item_count; i++)
        on_index = on_index || run_package_of(run, &run->plan.items[i]);
    for (size_t i = 0; on_mirror && i < run->mirror_count; i++)
        print_source(run->mirrors[i].base, &is_first, output);
    for (size_t i = 0; on_index && i < indexes->count; i++)
        print_source(indexes->items[i], &is_first, output);
    if (on_index && indexes->count == 0)
        print_source("a Python index: name one with --index URL", &is_first, output);
}
