/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include "base/text.h"
#include "host/can.h"

/* Whatever a run sets is in the dictionary, with the type it has there. */
static void assert_in_dictionary(const struct facts *facts)
{
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i);
        for (size_t k = 0; k < facts_count(facts, group); k++) {
            const struct fact *fact = facts_at(facts, group, k);
            const struct fact_entry *entry = dictionary_entry(group, fact->name);
            if (entry == NULL)
                fail_msg("%s.%s is not in the dictionary", group, fact->name);
            else if (fact->state == FACT_VALUE && fact->type != entry->type)
                fail_msg("%s.%s has another type than in the dictionary", group, fact->name);
            assert_non_null(fact->source);
            bool explained = fact->state == FACT_UNKNOWN || fact->state == FACT_SKIPPED;
            assert_int_equal(fact->reason != NULL, explained);
        }
    }
}

static void assert_set(const struct facts *facts, const char *group, const struct fact_entry *entry)
{
    if (strcmp(entry->name, "*") != 0 && facts_get(facts, group, entry->name) == NULL)
        fail_msg("%s.%s was not set", group, entry->name);
}

/* Whatever the dictionary has for the groups that a run set, the run set. */
static void assert_complete(const struct facts *facts)
{
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++) {
        if (strcmp(entry->kind, "assumed") == 0)
            continue;
        if (strcmp(entry->kind, "answer") == 0) /* each library is asked its own part */
            continue;
        if (!entry->of_instance) {
            assert_set(facts, entry->kind, entry);
            continue;
        }
        const char *group;
        for (size_t cursor = 0; (group = facts_next(facts, entry->kind, &cursor));)
            assert_set(facts, group, entry);
    }
}

static bool fills(const struct probe *probe, const char *kind)
{
    bool found = strcmp(probe->group, kind) == 0;
    for (size_t i = 0; probe->more_groups && probe->more_groups[i]; i++)
        found = found || strcmp(probe->more_groups[i], kind) == 0;
    return found;
}

static void the_table_covers_the_dictionary(void **state)
{
    (void)state;
    for (const struct fact_kind *kind = fact_kinds; kind->kind; kind++) {
        size_t rows = 0;
        for (const struct probe *probe = probe_table; probe->name; probe++)
            rows += fills(probe, kind->kind);
        assert_int_equal(rows, strcmp(kind->kind, "assumed") == 0 ? 0 : 1);
    }
    for (const struct probe *probe = probe_table; probe->name; probe++) {
        const struct fact_kind *kind = dictionary_kind(probe->group);
        assert_non_null(kind);
        assert_non_null(probe->run);
        assert_true(!probe->live_only || kind->owner == OWNER_LIVE);
    }
}

static void a_run_on_an_empty_tree_is_complete(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, NULL);
    assert_in_dictionary(tree->facts);
    assert_complete(tree->facts);
    assert_fact_skipped(tree, "kernel", "release", "a directory tree has no data about");
    assert_fact_skipped(tree, "device", "count", "a directory tree has no data about");
    assert_fact_skipped(tree, "limits", "user_id", "a directory tree has no data about");
    assert_fact_skipped(tree, "disk", "shm_bytes", "a directory tree has no data about");
    assert_fact_skipped(tree, "cuda", "count", "a directory tree has no data about");
    assert_fact_skipped(tree, "nvml", "count", "a directory tree has no data about");
    assert_fact_skipped(tree, "gpu_process", "count", "a directory tree has no data about");
}

static void a_run_on_a_full_tree_is_complete(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release", "ID=debian\n");
    tree_file(tree, "/proc/meminfo", "MemTotal: 1 kB\n");
    tree_file(tree, "/proc/modules", "nvidia 1 0 - Live 0x0\n");
    tree_file(tree, "/sys/bus/pci/devices/0000:18:00.0/vendor", "0x10de\n");
    tree_file(tree, "/sys/bus/pci/devices/0000:18:00.0/class", "0x030200\n");
    tree_file(tree, "/lib/modules/6.1.0/updates/dkms/nvidia.ko", "no ELF file");
    tree_file(tree, "/var/lib/dkms/nvidia/570.86.15/6.1.0/x86_64/module/nvidia.ko", "");
    tree_file(tree, "/var/lib/dpkg/status", "Package: nvidia-driver\n");
    tree_file(tree, "/dev/nvidia0", "");
    tree_file(tree, "/usr/local/cuda-12.8/version.json", "{}");
    tree_file(tree, "/usr/local/cuda-12.8/lib64/libcudart.so.12", "");
    tree_probe(tree, NULL);
    assert_in_dictionary(tree->facts);
    assert_complete(tree->facts);
    size_t cursor = 0;
    assert_non_null(facts_next(tree->facts, "module_file", &cursor));
    cursor = 0;
    assert_null(facts_next(tree->facts, "device", &cursor));
}

static void a_run_on_the_live_machine_is_complete(void **state)
{
    struct tree *tree = *state;
    tree_probe_root(tree, "/", "NVIDIA_GPUENV_TEST", "1", NULL);
    assert_in_dictionary(tree->facts);
    assert_complete(tree->facts);
    assert_fact(tree, "environment", "NVIDIA_GPUENV_TEST", "1");
    assert_int_equal(tree_fact(tree, "kernel", "release")->state, FACT_VALUE);
}

static void the_live_machine_says_whether_a_module_is_loaded(void **state)
{
    struct tree *tree = *state;
    if (!can_see_sys()) {
        print_message("/sys is not mounted here\n");
        skip();
    }
    tree_probe_root(tree, "/", NULL, NULL, NULL);
    assert_int_equal(tree_fact(tree, "module", "nvidia")->state, FACT_VALUE);
}

static bool wants_os(const char *group)
{
    return strcmp(group, "os") == 0;
}

static void only_wanted_groups_run(void **state)
{
    struct tree *tree = *state;
    struct host *host = host_new(tree->root, NULL);
    struct loader *loader = loader_new(host);
    struct probe_context context = {.host = host, .loader = loader};
    tree->facts = facts_new();
    probe_all(&context, wants_os, tree->facts);
    assert_int_equal(facts_group_count(tree->facts), 1);
    assert_string_equal(facts_group_at(tree->facts, 0), "os");
    loader_free(loader);
    host_free(host);
}

static void nothing_counts_that_came_too_late(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/os-release", "ID=debian\n");
    tree_file(tree, "/usr/local/cuda-12.8/version.txt", "CUDA Version 12.8.1\n");
    struct host *host = host_new(tree->root, NULL);
    struct loader *loader = loader_new(host);
    struct probe_context context = {.host = host, .loader = loader};
    host_set_deadline(host, 1);
    tree->facts = facts_new();
    probe_all(&context, NULL, tree->facts);
    assert_in_dictionary(tree->facts);
    assert_fact_unknown(tree, "os", "id", "no time left");
    assert_fact_unknown(tree, "toolkit", "count", "no time left");
    assert_fact_unknown(tree, "library", "count", "no time left");
    for (size_t i = 0; i < facts_group_count(tree->facts); i++) {
        const char *group = facts_group_at(tree->facts, i);
        for (size_t k = 0; k < facts_count(tree->facts, group); k++) {
            enum fact_state found = facts_at(tree->facts, group, k)->state;
            assert_true(found == FACT_UNKNOWN || found == FACT_SKIPPED);
        }
    }
    loader_free(loader);
    host_free(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(the_table_covers_the_dictionary),
        tree_test(a_run_on_an_empty_tree_is_complete),
        tree_test(a_run_on_a_full_tree_is_complete),
        tree_test(a_run_on_the_live_machine_is_complete),
        tree_test(the_live_machine_says_whether_a_module_is_loaded),
        tree_test(only_wanted_groups_run),
        tree_test(nothing_counts_that_came_too_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
