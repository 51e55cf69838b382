/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/strlist.h"
#include "manifest/manifest.h"
#include "resolve/support/compile.h"

static int setup(void **state)
{
    *state = manifest_new();
    return 0;
}

static int teardown(void **state)
{
    manifest_free(*state);
    return 0;
}

struct machine {
    const char *id, *release, *name, *gcc, *gccs, *glibc, *capability;
};
static const struct machine debian_12 = {
    "debian", "12", "Debian GNU/Linux 12 (bookworm)", "12", "12", "2.36", NULL};

static struct version version_of(const char *text)
{
    struct version version = {.count = 0};
    if (text)
        assert_true(version_parse(text, &version));
    return version;
}

static void notes_of(void **state, const char *cuda, const struct machine *machine,
                     struct strlist *notes)
{
    AUTO_STRLIST struct strlist gccs = {0};
    struct version version = version_of(cuda);
    struct resolve_gpu gpu = {.name = "a GPU", .capability = version_of(machine->capability)};
    strlist_split(&gccs, machine->gccs ? machine->gccs : "", ' ');
    const struct compile_system system = {
        .os = {.id = machine->id, .release = version_of(machine->release)},
        .name = machine->name,
        .gcc = version_of(machine->gcc),
        .gccs = machine->gccs ? &gccs : NULL,
        .glibc = version_of(machine->glibc),
        .gpus = &gpu,
        .gpu_count = machine->capability ? 1 : 0,
    };
    compile_notes(*state, &version, &system, notes);
}

static void assert_says(const struct strlist *notes, const char *words)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strstr(notes->items[i], words))
            return;
    AUTO_FREE char *all = strlist_join(notes, "\n");
    fail_msg("nothing says \"%s\" in:\n%s", words, all);
}

static void assert_silent(const struct strlist *notes, const char *words)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strstr(notes->items[i], words))
            fail_msg("\"%s\" is said: %s", words, notes->items[i]);
}

/* CUDA 9.0 on Debian 12: the compiler, the C library, where it compiles, the GPU, the samples. */
static void test_old_toolkit(void **state)
{
    AUTO_STRLIST struct strlist notes = {0};
    struct machine machine = debian_12;
    machine.capability = "7.5";
    notes_of(state, "9.0.176", &machine, &notes);
    assert_says(&notes,
                "nvcc of CUDA 9.0 accepts gcc 6 at most, but Debian GNU/Linux 12 (bookworm) "
                "has gcc 12 as its compiler and has no package of such a compiler (it has "
                "gcc 11, 12, clang 13, 14, 15, 16, 19)");
    assert_says(&notes, "CUDA 9.0 does not suit glibc 2.36: ");
    assert_says(&notes, "__float128");
    assert_says(&notes, "compile in a container of Ubuntu 16.04: NVIDIA's own images");
    assert_says(&notes, "CUDA 9.0.176 does not compile for a GPU (compute capability 7.5) yet: "
                        "CUDA 10.0 is the first that does");
    assert_says(&notes, "freeglut3-dev");
    assert_int_equal(notes.count, 5);
}

/* A row each: what is said of the compiler, and what is not. */
static const struct {
    const char *cuda;
    struct machine machine;
    const char *said, *not_said;
} compilers[] = {
    /* the distribution has one */
    {"11.8.0",
     {"debian", "12", "Debian 12", "12", "12", "2.36", NULL},
     "install the package g++-11 and name its compiler: nvcc -ccbin g++-11",
     "container"},
    {"10.0.130",
     {"ubuntu", "20.04", "Ubuntu 20.04", "9", "9", "2.31", NULL},
     "nvcc -ccbin g++-7",
     "container"},
    {"11.0.3",
     {"rocky", "8.10", "Rocky Linux 8.10", "11", NULL, "2.28", NULL},
     "nvcc -ccbin /opt/rh/gcc-toolset-9/root/usr/bin/g++",
     "container"},
    /* one is installed beside it */
    {"11.8.0",
     {"debian", "12", "Debian 12", "12", "11 12", "2.36", NULL},
     "gcc 11 is installed too: nvcc -ccbin g++-11",
     "install the package"},
    /* none: the images tell where, or the oldest release with one */
    {"10.2.89",
     {"debian", "12", "Debian 12", "12", "12", "2.36", NULL},
     "container of Ubuntu 18.04: NVIDIA's own images",
     "does not suit glibc"},
    {"7.5.18",
     {"debian", "12", "Debian 12", "12", "12", "2.36", NULL},
     "container of Ubuntu 16.04, which has the package g++-4.9",
     "does not suit glibc"},
    /* an image without a compiler, whose distribution has none that is accepted */
    {"10.2.89",
     {"debian", "12", "Debian 12", NULL, NULL, "2.36", NULL},
     "nvcc of CUDA 10.2 accepts gcc 5 to 8, but Debian 12 has no compiler yet and has no package "
     "of "
     "such a compiler",
     "has gcc 12 as"},
    {"11.8.0", {"debian", "12", "Debian 12", NULL, NULL, "2.36", NULL}, NULL, "nvcc of"},
    /* a distribution that is not listed */
    {"10.2.89",
     {"arch", NULL, NULL, "16", "16", "2.42", NULL},
     "this system has gcc 16 as its compiler: which compilers there are packages of is not known",
     "g++-"},
    /* too old a compiler */
    {"12.8.1",
     {"centos", "7", "CentOS Linux 7 (Core)", "4.8", NULL, "2.17", NULL},
     "accepts gcc 6 to 14, but CentOS Linux 7 (Core) has gcc 4.8 as its compiler",
     "__float128"},
    /* healthy twins */
    {"12.8.1", {"debian", "12", "Debian 12", "12", "12", "2.36", NULL}, NULL, "CUDA"},
    {"9.0.176", {"ubuntu", "16.04", "Ubuntu 16.04", "5", "5", "2.23", NULL}, NULL, "nvcc of"},
    {"9.2.148", {"ubuntu", "18.04", "Ubuntu 18.04", "7", "7", "2.27", NULL}, NULL, "glibc"},
    {"9.0.176", {NULL, NULL, NULL, NULL, NULL, NULL, NULL}, NULL, "container"},
};

static void test_compilers(void **state)
{
    for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
        AUTO_STRLIST struct strlist notes = {0};
        notes_of(state, compilers[i].cuda, &compilers[i].machine, &notes);
        if (compilers[i].said)
            assert_says(&notes, compilers[i].said);
        assert_silent(&notes, compilers[i].not_said);
    }
}

/* The first C library that a toolkit does not suit, and the last that it does. */
static void test_c_libraries(void **state)
{
    static const struct {
        const char *cuda, *glibc;
        bool hinders;
    } cases[] = {
        {"8.0.61", "2.25", false}, {"8.0.61", "2.26", true},  {"9.1.85", "2.26", true},
        {"9.2.88", "2.26", false}, {"12.9.1", "2.40", false}, {"12.9.1", "2.41", true},
        {"13.0.0", "2.41", false}, {"13.1.0", "2.42", true},  {"13.2.0", "2.42", false},
        {"12.6.3", "2.17", false}, {"12.8.0", "2.26", true},  {"12.8.0", "2.27", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_STRLIST struct strlist notes = {0};
        const struct machine machine = {.glibc = cases[i].glibc};
        notes_of(state, cases[i].cuda, &machine, &notes);
        if (cases[i].hinders)
            assert_says(&notes, "does not suit glibc");
        else
            assert_silent(&notes, "does not suit glibc");
    }
}

/* Lists of archives have no samples, and from 11.6 on installers have none either. */
static void test_samples(void **state)
{
    static const struct {
        const char *cuda;
        bool samples;
    } cases[] = {{"7.5.18", true},  {"10.2.89", true}, {"11.0.2", true},
                 {"11.8.0", false}, {"12.8.1", false}, {"9.0.176", true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_STRLIST struct strlist notes = {0};
        const struct machine machine = {.glibc = NULL};
        notes_of(state, cases[i].cuda, &machine, &notes);
        if (cases[i].samples)
            assert_says(&notes, "freeglut");
        else
            assert_silent(&notes, "freeglut");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_old_toolkit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compilers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_c_libraries, setup, teardown),
        cmocka_unit_test_setup_teardown(test_samples, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
