/* SPDX-License-Identifier: MIT */
#include "install/prefix/layout_private.h"
#include "manifest/toolkit/component.h"

/* What programs are built against is found by pkg-config, also where NVIDIA's archive has no file
 * for it. */

/* "-lnccl" for each library of the row that the tree has for the linker. */
static char *links_of(struct layout *layout, const struct manifest_component *row)
{
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < row->links.count; i++) {
        AUTO_FREE char *path = mem_printf("lib/lib%s.so", row->links.items[i]);
        if (layout_file(layout, path))
            text_printf(&text, " -l%s", row->links.items[i]);
    }
    return text.size > 0 ? text_steal(&text) : NULL;
}

static void write_words(const struct layout *layout, const struct plan_item *item,
                        const char *links, struct text *text)
{
    text_printf(text,
                "prefix=%s\nincludedir=${prefix}/include\nlibdir=${prefix}/lib\n\n"
                "Name: %s\nDescription: NVIDIA %s\nVersion: %s\nLibs: -L${libdir}%s\n"
                "Cflags: -I${includedir}\n",
                layout->path, item->row->pkg_config, item->product, item->release, links);
}

bool layout_add_pc(struct layout *layout, const struct plan_item *item, const char *owner,
                   struct error *error)
{
    AUTO_TEXT struct text text = {0};
    if (item->row == NULL || item->row->pkg_config == NULL || item->extent == EXTENT_RUNTIME)
        return true;
    AUTO_FREE char *path = mem_printf("lib/pkgconfig/%s.pc", item->row->pkg_config);
    AUTO_FREE char *links = links_of(layout, item->row);
    if (links == NULL || layout_file(layout, path))
        return true;
    write_words(layout, item, links, &text);
    return layout_write(layout, path, owner, &text, error);
}
