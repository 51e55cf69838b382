/* SPDX-License-Identifier: MIT */
#include "report/share/html_private.h"

#include <inttypes.h>
#include <string.h>

#define WIDTH       360
#define STEP        18 /* a level of the bus further in */
#define BRIDGE_ROWS 24
#define GPU_ROWS    44
#define LINK_WIDTH  26 /* the column of the links, on the right */
#define LEVELS_MOST 6  /* bridges that are drawn further in */

/* A bridge, or a GPU, with all that is behind it drawn below it. */
struct node {
    const char *name; /* address of a bridge; NULL of a GPU */
    const char *pci;  /* group of a GPU; NULL: the driver's library alone lists it */
    const char *nvml; /* group; NULL */
    unsigned level;
    unsigned y, height;
};
struct tree {
    const struct facts *facts;
    struct node *nodes;
    size_t count, capacity;
    unsigned height;
    bool links;
};

static void tree_clear(struct tree *tree)
{
    free(tree->nodes);
}

static struct node *tree_add(struct tree *tree, const char *name, unsigned level, unsigned height)
{
    struct node *node = vec_push(tree->nodes, tree->count, tree->capacity);
    *node = (struct node){.name = name,
                          .level = level < LEVELS_MOST ? level : LEVELS_MOST,
                          .y = tree->height,
                          .height = height};
    tree->height += height;
    return node;
}

static bool is_gpu(const struct facts *facts, const char *group)
{
    const char *class = facts_string(facts, group, "class");
    return class == NULL || string_starts(class, "0300") || string_starts(class, "0302");
}

static bool has_links(const struct tree *tree, const struct node *node)
{
    int64_t links;
    return node->nvml && facts_integer(tree->facts, node->nvml, "nvlinks_active", &links) &&
           links > 0;
}

static void add_gpu(struct tree *tree, const char *pci, const char *nvml, unsigned level)
{
    struct node *node = tree_add(tree, NULL, level, GPU_ROWS);
    node->pci = pci;
    node->nvml = nvml;
    tree->links = tree->links || has_links(tree, node);
}

/* The bridges above a GPU from the root down; those that the GPU before it has, too, are there. */
static unsigned add_bridges(struct tree *tree, const struct strlist *bridges,
                            const struct strlist *before)
{
    size_t same = 0;
    size_t count = bridges ? bridges->count : 0;
    while (before && same < count && same < before->count &&
           string_equal(bridges->items[same], before->items[same]))
        same++;
    for (size_t i = same; i < count; i++)
        tree_add(tree, bridges->items[i], (unsigned)i, BRIDGE_ROWS);
    return (unsigned)count;
}

static void tree_fill(struct tree *tree)
{
    const struct facts *facts = tree->facts;
    const struct strlist *before = NULL;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        if (!is_gpu(facts, group))
            continue;
        const struct strlist *bridges = facts_list(facts, group, "bridges");
        unsigned level = add_bridges(tree, bridges, before);
        add_gpu(tree, group, facts_find(facts, "nvml", "bus_id", strchr(group, '/') + 1), level);
        before = bridges;
    }
    bool seen = tree->count > 0;
    for (size_t i = 0; !seen && (group = facts_next(facts, "nvml", &i)) != NULL;)
        add_gpu(tree, NULL, group, 0);
}

/* Text that fits into so many units, at about six for a character. */
static void append_text(const char *class, unsigned x, unsigned y, unsigned width,
                        const char *words, struct text *output)
{
    size_t most = width / 6, size = strlen(words);
    AUTO_FREE char *cut = mem_string_n(words, size > most ? most : size);
    text_printf(output, "<text class=\"%s\" x=\"%u\" y=\"%u\">", class, x, y);
    html_append(cut, output);
    text_append(output, size > most ? "&#8230;</text>" : "</text>");
}

static unsigned x_of(const struct node *node)
{
    return 4 + node->level * STEP;
}

static unsigned right_of(const struct tree *tree)
{
    return tree->links ? WIDTH - LINK_WIDTH : WIDTH - 4;
}

static void append_lane(const struct facts *facts, const char *group, const char *speed,
                        const char *width, struct text *words)
{
    int64_t lanes;
    const char *rate = facts_string(facts, group, speed);
    if (rate)
        text_printf(words, "%s%.*s", words->size > 0 ? ", " : "", (int)strcspn(rate, "/P"), rate);
    if (rate)
        text_append(words, "/s");
    if (facts_integer(facts, group, width, &lanes))
        text_printf(words, "%sx%" PRId64, rate ? " " : words->size > 0 ? ", " : "", lanes);
}

/* "0000:17:00.0, nvidia, 64.0 GT/s x16, 18 NVLinks" */
static void gpu_words(const struct tree *tree, const struct node *node, struct text *words)
{
    const struct facts *facts = tree->facts;
    const char *address =
        node->pci ? strchr(node->pci, '/') + 1 : facts_string(facts, node->nvml, "bus_id");
    const char *driver = node->pci ? facts_string(facts, node->pci, "driver") : NULL;
    int64_t links;
    text_append(words, address ? address : "address not known");
    if (node->pci) {
        text_printf(words, ", %s", driver ? driver : "no driver");
        append_lane(facts, node->pci, "link_speed", "link_width", words);
    }
    if (has_links(tree, node) && facts_integer(facts, node->nvml, "nvlinks_active", &links))
        text_printf(words, ", %" PRId64 " NVLinks", links);
}

/* "GPU 0  NVIDIA H100", or what is known of one that the driver does not list. */
static char *gpu_name(const struct tree *tree, const struct node *node)
{
    const struct facts *facts = tree->facts;
    const char *name = node->nvml ? facts_string(facts, node->nvml, "name") : NULL;
    const char *id = node->pci ? facts_string(facts, node->pci, "device_id") : NULL;
    if (node->nvml)
        return mem_printf("GPU %s  %s", strchr(node->nvml, '/') + 1, name ? name : "");
    return mem_printf("GPU 10de:%s, not listed by the driver", id ? id : "?");
}

static void append_gpu(const struct tree *tree, const struct node *node, struct text *output)
{
    unsigned x = x_of(node), width = right_of(tree) - x;
    AUTO_FREE char *name = gpu_name(tree, node);
    AUTO_TEXT struct text words = {0};
    gpu_words(tree, node, &words);
    text_printf(output,
                "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"4\"/>",
                node->nvml ? "g" : "x", x, node->y + 3, width, node->height - 6);
    append_text("t", x + 7, node->y + 19, width - 10, name, output);
    append_text("s", x + 7, node->y + 33, (width - 10) * 9 / 8, text_string(&words), output);
}

static void append_bridge(const struct node *node, struct text *output)
{
    unsigned x = x_of(node);
    AUTO_FREE char *words =
        mem_printf("%s %s", node->level == 0 ? "root port" : "bridge", node->name);
    text_printf(output, "<circle class=\"b\" cx=\"%u\" cy=\"%u\" r=\"4\"/>", x + 4, node->y + 12);
    append_text("s", x + 13, node->y + 16, WIDTH - x - 20, words, output);
}

/* The line down from a bridge to the last thing right below it, and one to each. */
static void append_lines(const struct tree *tree, size_t index, struct text *output)
{
    const struct node *node = &tree->nodes[index];
    unsigned x = x_of(node) + 4, bottom = 0;
    for (size_t i = index + 1; i < tree->count && tree->nodes[i].level > node->level; i++) {
        const struct node *below = &tree->nodes[i];
        if (below->level != node->level + 1)
            continue;
        bottom = below->y + below->height / 2;
        text_printf(output, "<path class=\"l\" d=\"M%u %uH%u\"/>", x, bottom, x_of(below));
    }
    if (bottom > 0)
        text_printf(output, "<path class=\"l\" d=\"M%u %uV%u\"/>", x, node->y + 16, bottom);
}

/* What joins the GPUs that have NVLinks, beside them. */
static void append_links(const struct tree *tree, struct text *output)
{
    unsigned x = right_of(tree), top = 0, bottom = 0;
    for (size_t i = 0; i < tree->count; i++) {
        const struct node *node = &tree->nodes[i];
        unsigned y = node->y + node->height / 2;
        if (node->name || !has_links(tree, node))
            continue;
        text_printf(output, "<path class=\"n\" d=\"M%u %uH%u\"/>", x, y, x + 9);
        top = top == 0 ? y : top;
        bottom = y;
    }
    text_printf(output, "<path class=\"n\" d=\"M%u %uV%u\"/>", x + 9, top, bottom);
    text_printf(output,
                "<text class=\"s nt\" transform=\"translate(%u %u) rotate(90)\" "
                "text-anchor=\"middle\">NVLink</text>",
                x + 14, (top + bottom) / 2);
}

static void append_all(const struct tree *tree, struct text *output)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].name)
            append_lines(tree, i, output);
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->nodes[i].name)
            append_bridge(&tree->nodes[i], output);
        else
            append_gpu(tree, &tree->nodes[i], output);
    }
    if (tree->links)
        append_links(tree, output);
}

void html_drawing(const struct facts *facts, struct text *output)
{
    AUTO(tree_clear) struct tree tree = {.facts = facts};
    int64_t switches;
    tree_fill(&tree);
    if (tree.count == 0)
        return;
    text_printf(output,
                "<h2>GPUs and the PCI bus</h2>\n<svg viewBox=\"0 0 %u %u\" role=\"img\" "
                "aria-label=\"the PCI bus with its bridges and GPUs\">\n",
                WIDTH, tree.height + 4);
    append_all(&tree, output);
    text_append(output, "\n</svg>\n");
    if (facts_integer(facts, "pci", "nvswitch_count", &switches) && switches > 0)
        text_printf(output, "<p class=\"soft\">%" PRId64 " NVSwitches</p>\n", switches);
}
