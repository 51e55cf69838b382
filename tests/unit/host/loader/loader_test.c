/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <elf.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/strlist.h"
#include "base/text.h"
#include "host/elf/elf.h"
#include "host/loader/loader.h"
#include "host/root/host.h"

/* A temporary directory with libraries that the compiler makes, and a program that asks the real
 * dynamic loader: `probe NAME…` prints "NAME|PATH" or "NAME|!error"; OUTER:INNER prints where INNER
 * came from when OUTER was loaded. */
struct stage {
    char *directory;
    struct host *host; /* the live machine */
};

static const char probe_source[] =
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n#include <link.h>\n#include <stdio.h>\n#include <string.h>\n"
    "static void say(const char *name, struct link_map *map) {\n"
    "    printf(\"%s|%s\\n\", name, map ? map->l_name : \"!not among the loaded\");\n"
    "}\n"
    "static void probe(char *name) {\n"
    "    char *inner = strchr(name, ':');\n"
    "    if (inner) *inner++ = '\\0';\n"
    "    struct link_map *map;\n"
    "    void *handle = dlopen(name, RTLD_LAZY);\n"
    "    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map)) {\n"
    "        printf(\"%s|!%s\\n\", inner ? inner : name, dlerror());\n"
    "        return;\n"
    "    }\n"
    "    for (; inner && map; map = map->l_next) {\n"
    "        const char *base = strrchr(map->l_name, '/');\n"
    "        if (strcmp(base ? base + 1 : map->l_name, inner) == 0) break;\n"
    "    }\n"
    "    say(inner ? inner : name, map);\n"
    "}\n"
    "int main(int argc, char **argv) {\n"
    "    for (int i = 1; i < argc; i++) probe(argv[i]);\n"
    "    return 0;\n"
    "}\n";

static void run_in(const char *directory, const char *script)
{
    AUTO_FREE char *command = mem_printf("set -e; cd '%s'; %s", directory, script);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void write_file(const char *directory, const char *name, const char *bytes, size_t size)
{
    AUTO_FREE char *path = mem_printf("%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static int make_stage(void **state)
{
    struct stage *stage = mem_alloc(sizeof(*stage));
    char template[] = "/tmp/gpuenv-loader-XXXXXX";
    *state = stage;
    unsetenv("LD_LIBRARY_PATH");
    if (mkdtemp(template) == NULL)
        return -1;
    stage->directory = mem_string(template);
    stage->host = host_new("/", NULL);
    write_file(template, "probe.c", probe_source, sizeof(probe_source) - 1);
    run_in(template, "cc -o probe probe.c -ldl; echo 'int x;' > x.c;"
                     "cc -shared -fPIC -o libx.so.1 -Wl,-soname,libx.so.1 x.c;"
                     "for d in right other; do mkdir $d; cp libx.so.1 $d; done; rm libx.so.1");
    return stage->host == NULL;
}

static int remove_stage(void **state)
{
    struct stage *stage = *state;
    AUTO_FREE char *command = mem_printf("rm -rf '%s'", stage->directory);
    unsetenv("LD_LIBRARY_PATH");
    host_free(stage->host);
    free(stage->directory);
    free(stage);
    return chdir("/") + system(command);
}

/* What the real loader answers for one argument of probe, started in the stage's directory. */
static char *ask_loader(const struct stage *stage, const char *argument)
{
    AUTO_FREE char *command = mem_printf("cd '%s' && ./probe '%s'", stage->directory, argument);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char line[8192] = "";
    assert_non_null(fgets(line, sizeof(line), pipe));
    assert_int_equal(pclose(pipe), 0);
    line[strcspn(line, "\n")] = '\0';
    char *bar = strchr(line, '|');
    assert_non_null(bar);
    return mem_string(bar + 1);
}

static char *joined(const struct strlist *list)
{
    return strlist_join(list, "\n  ");
}

/* Both found the same file, or both found none. */
static void expect_agreement(const struct stage *stage, const char *name, const char *answer,
                             const struct loader_hit *hit)
{
    AUTO_FREE char *passed = joined(&hit->passed_over);
    if (answer[0] == '!' || hit->path == NULL) {
        if (answer[0] != '!' || hit->path != NULL)
            fail_msg("%s: the loader says %s, we say %s (%s)\n  %s", name, answer,
                     hit->path ? hit->path : "nothing", hit->why ? hit->why : "", passed);
        return;
    }
    AUTO_FREE char *whole =
        answer[0] == '/' ? mem_string(answer) : mem_printf("%s/%s", stage->directory, answer);
    AUTO_FREE char *real_path = realpath(whole, NULL);
    if (!string_equal(real_path, hit->real_path) ||
        (answer[0] == '/' && !string_equal(answer, hit->path)))
        fail_msg("%s: the loader says %s, we say %s (%s)\n  %s", name, answer, hit->path, hit->why,
                 passed);
}

/* Asks both for name under the LD_LIBRARY_PATH that is set; why is NULL when nothing is found. */
static void compare(const struct stage *stage, const char *name, const char *why,
                    const char *passed_words)
{
    AUTO_HIT struct loader_hit hit = {0};
    struct loader *loader = loader_new(stage->host);
    AUTO_FREE char *answer = ask_loader(stage, name);
    loader_find(loader, name, NULL, NULL, NULL, &hit);
    loader_free(loader);
    expect_agreement(stage, name, answer, &hit);
    assert_true(string_equal(hit.why, why));
    AUTO_FREE char *passed = joined(&hit.passed_over);
    if (passed_words != NULL && strstr(passed, passed_words) == NULL)
        fail_msg("%s: passed over: %s, should say %s", name, passed, passed_words);
    if (passed_words == NULL)
        assert_int_equal(hit.passed_over.count, 0);
}

/* LD_LIBRARY_PATH from a pattern in which '@' stands for the stage's directory. */
static void set_path(const struct stage *stage, const char *pattern)
{
    AUTO_TEXT struct text value = {0};
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '@')
            text_append(&value, stage->directory);
        else
            text_append_char(&value, *pattern);
    }
    setenv("LD_LIBRARY_PATH", text_string(&value), 1);
}

static const char *const known_names[] = {
    "libc.so.6",       "libm.so.6",       "libz.so.1",         "libstdc++.so.6", "libelf.so.1",
    "libcudart.so.13", "libcudnn.so.9",   "libnccl.so.2",      "libcuda.so.1",   "libcublas.so.13",
    "libgcc_s.so.1",   "libnosuch.so.99", "libnvidia-ml.so.1",
};

static void known_names_agree(void **state)
{
    const struct stage *stage = *state;
    static const char *const paths[] = {NULL, "/usr/local/cuda-13.0/lib64",
                                        "/usr/local/cuda-13.0/lib64/stubs:/nowhere",
                                        "/usr/lib/x86_64-linux-gnu/:/lib64"};
    for (size_t p = 0; p < sizeof(paths) / sizeof(paths[0]); p++) {
        if (paths[p] != NULL)
            setenv("LD_LIBRARY_PATH", paths[p], 1);
        struct loader *loader = loader_new(stage->host);
        for (size_t i = 0; i < sizeof(known_names) / sizeof(known_names[0]); i++) {
            AUTO_HIT struct loader_hit hit = {0};
            AUTO_FREE char *answer = ask_loader(stage, known_names[i]);
            loader_find(loader, known_names[i], NULL, NULL, NULL, &hit);
            AUTO_FREE char *absent = mem_printf("!%s: cannot open shared object", known_names[i]);
            if (answer[0] == '!' && !string_starts(answer, absent))
                continue; /* found, and then not loadable: its own needs are missing */
            expect_agreement(stage, known_names[i], answer, &hit);
        }
        loader_free(loader);
    }
}

static void every_cached_name_is_found(void **state)
{
    const struct stage *stage = *state;
    struct loader *loader = loader_new(stage->host);
    if (loader_problem(loader) != NULL) {
        print_message("no cache here (%s): not tested\n", loader_problem(loader));
        loader_free(loader);
        skip();
    }
    const struct ldcache *cache = loader_cache(loader);
    assert_true(cache->count > 0);
    for (size_t i = 0; i < cache->count; i++) {
        AUTO_HIT struct loader_hit hit = {0};
        loader_find(loader, cache->entries[i].soname, NULL, NULL, NULL, &hit);
        if (hit.path == NULL) {
            assert_true(hit.passed_over.count > 0);
            continue;
        }
        assert_string_equal(hit.why, "ld.so.cache");
        assert_string_equal(hit.where, "/etc/ld.so.cache");
        assert_true(access(hit.path, R_OK) == 0);
    }
    print_message("%zu entries\n", cache->count);
    loader_free(loader);
}

static void library_path_agrees(void **state)
{
    const struct stage *stage = *state;
    static const struct {
        const char *path, *why, *passed;
    } cases[] = {
        {"@/right", "LD_LIBRARY_PATH", NULL},
        {"@/right///:@/other", "LD_LIBRARY_PATH", NULL},
        {"@/nowhere;@/other:@/right", "LD_LIBRARY_PATH", NULL},
        {"@/$NOTHING:@/${LIB:@/other", "LD_LIBRARY_PATH", NULL},
        {"@/wrong:@/right", "LD_LIBRARY_PATH", "wrong/libx.so.1: for riscv64"},
        {"@/dangling:@/right", "LD_LIBRARY_PATH", NULL},
        {"@/loop:@/right", NULL, "loop/libx.so.1"},
        {"@/script:@/right", NULL, "invalid ELF header, begins with \"GROUP ( libx.so.2 libx.s\""},
        {"@/short:@/right", NULL, "file too short: 8 bytes"},
        {"@/empty:@/right", NULL, "file too short: 0 bytes"},
        {"@/abi:@/right", NULL, "OS ABI 9"},
        {"@/object:@/right", NULL, "ELF type 1"},
        {"@/cut:@/right", NULL, "program headers are missing"},
        {"@/directory:@/right", NULL, "a directory; the loader gives up here"},
        {"@/order:@/right", "LD_LIBRARY_PATH", "byte order"},
        {"", NULL, NULL},
        {":", NULL, NULL},
        {"right", "LD_LIBRARY_PATH", NULL},
        {"./other:", "LD_LIBRARY_PATH", NULL},
        {"@/$LIB:@/right", "LD_LIBRARY_PATH", NULL},
    };
    run_in(
        stage->directory,
        "patch_byte() { printf \"$3\" | dd of=$1 bs=1 seek=$2 conv=notrunc 2>/dev/null; };"
        "mkdir wrong dangling loop script short empty abi object cut order;"
        "mkdir -p directory/libx.so.1 lib/x86_64-linux-gnu lib64;"
        "for d in wrong abi order cut; do cp right/libx.so.1 $d; done;"
        "patch_byte wrong/libx.so.1 18 '\\363'; patch_byte abi/libx.so.1 7 '\\011';"
        "patch_byte order/libx.so.1 5 '\\002'; patch_byte order/libx.so.1 18 '\\000\\076';"
        "truncate -s 100 cut/libx.so.1; : > empty/libx.so.1; printf 'GROUP(x)' > short/libx.so.1;"
        "cc -c -o object/libx.so.1 x.c; ln -s nothing dangling/libx.so.1;"
        "ln -s libx.so.1 loop/libx.so.1; echo 'GROUP ( libx.so.2 libx.so.3 libx.so.4 libx.so.5"
        " libx.so.6 libx.so.7 )' > script/libx.so.1;"
        "cp right/libx.so.1 lib/x86_64-linux-gnu; cp right/libx.so.1 lib64");
    assert_int_equal(chdir(stage->directory), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set_path(stage, cases[i].path);
        compare(stage, "libx.so.1", cases[i].why, cases[i].passed);
    }
}

static void current_directory_is_named(void **state)
{
    const struct stage *stage = *state;
    AUTO_HIT struct loader_hit hit = {0};
    AUTO_FREE char *right = mem_printf("%s/right", stage->directory);
    assert_int_equal(chdir(right), 0);
    setenv("LD_LIBRARY_PATH", "/nowhere:", 1);
    struct loader *loader = loader_new(stage->host);
    loader_find(loader, "libx.so.1", NULL, NULL, NULL, &hit);
    loader_free(loader);
    AUTO_FREE char *path = mem_printf("%s/libx.so.1", right);
    assert_string_equal(hit.path, path);
    assert_string_equal(hit.why, "LD_LIBRARY_PATH");
    assert_true(string_starts(hit.where, right));
    assert_true(string_ends(hit.where, "(an empty item, which means the current directory)"));
}

static void unreadable_files_are_passed_over(void **state)
{
    const struct stage *stage = *state;
    if (geteuid() == 0) {
        print_message("root reads every file: not tested\n");
        skip();
    }
    run_in(stage->directory, "mkdir closed; cp right/libx.so.1 closed; chmod 0 closed/libx.so.1");
    set_path(stage, "@/closed:@/right");
    compare(stage, "libx.so.1", "LD_LIBRARY_PATH", "closed/libx.so.1");
}

static void processor_levels_agree(void **state)
{
    const struct stage *stage = *state;
    static const char *const levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v9"};
    set_path(stage, "@/right");
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        AUTO_FREE char *script =
            mem_printf("d=right/glibc-hwcaps/%s; mkdir -p $d; cp other/libx.so.1 $d", levels[i]);
        run_in(stage->directory, script);
        compare(stage, "libx.so.1", "LD_LIBRARY_PATH", NULL);
    }
}

/* ---- RPATH and RUNPATH ---- */

/* outer needs libx.so.1; both ask where that comes from. from: the path outer is loaded by. */
static void compare_inner(const struct stage *stage, const char *from, const char *why)
{
    AUTO_HIT struct loader_hit hit = {0};
    AUTO_ELF struct elf_info info = {0};
    AUTO_FREE char *argument = mem_printf("%s:libx.so.1", from);
    AUTO_FREE char *answer = ask_loader(stage, argument);
    assert_int_equal(elf_read(stage->host, from, &info, NULL), HOST_OK);
    assert_true(strlist_has(&info.needed, "libx.so.1"));
    struct loader *loader = loader_new(stage->host);
    loader_find(loader, "libx.so.1", from, info.rpath, info.runpath, &hit);
    loader_free(loader);
    expect_agreement(stage, from, answer, &hit);
    if (!string_equal(hit.why, why))
        fail_msg("%s: %s, should be %s", from, hit.why ? hit.why : "none", why ? why : "none");
}

static void paths_of_objects_agree(void **state)
{
    const struct stage *stage = *state;
    static const struct {
        const char *rpath, *tags, *library_path, *why;
    } cases[] = {
        {"$ORIGIN/../right", "--enable-new-dtags", NULL, "RUNPATH"},
        {"$ORIGIN/../right", "--enable-new-dtags", "@/other", "LD_LIBRARY_PATH"},
        {"$ORIGIN/../right", "--disable-new-dtags", "@/other", "RPATH"},
        {"${ORIGIN}/../right", "--disable-new-dtags", NULL, "RPATH"},
        {"/nowhere:$ORIGIN/../$LIB/../right", "--disable-new-dtags", NULL, NULL},
        {"/nowhere:$ORIGINAL:$ORIGIN/../other", "--enable-new-dtags", NULL, "RUNPATH"},
        {"/nowhere", "--enable-new-dtags", "@/other", "LD_LIBRARY_PATH"},
        {"/nowhere", "--disable-new-dtags", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FREE char *script =
            mem_printf("mkdir -p outer; cc -shared -fPIC -o outer/libouter.so x.c -Lright "
                       "-Wl,--no-as-needed -l:libx.so.1 -Wl,-rpath,'%s',%s",
                       cases[i].rpath, cases[i].tags);
        AUTO_FREE char *outer = mem_printf("%s/outer/libouter.so", stage->directory);
        run_in(stage->directory, script);
        unsetenv("LD_LIBRARY_PATH");
        if (cases[i].library_path != NULL)
            set_path(stage, cases[i].library_path);
        compare_inner(stage, outer, cases[i].why);
    }
}

/* $ORIGIN is the directory of the path the object is loaded by, also when that is a link. */
static void origin_of_a_link_agrees(void **state)
{
    const struct stage *stage = *state;
    run_in(stage->directory,
           "mkdir -p real linked; cc -shared -fPIC -o real/libouter.so x.c -Lright "
           "-Wl,--no-as-needed -l:libx.so.1 -Wl,-rpath,'$ORIGIN',--enable-new-dtags;"
           "cp right/libx.so.1 linked; ln -s ../real/libouter.so linked/libouter.so");
    AUTO_FREE char *linked = mem_printf("%s/linked/libouter.so", stage->directory);
    AUTO_FREE char *real_path = mem_printf("%s/real/libouter.so", stage->directory);
    compare_inner(stage, linked, "RUNPATH");
    compare_inner(stage, real_path, NULL);
}

static void unknown_origin_is_passed_over(void **state)
{
    const struct stage *stage = *state;
    AUTO_HIT struct loader_hit hit = {0};
    struct loader *loader = loader_new(stage->host);
    loader_find(loader, "libx.so.1", NULL, "$ORIGIN/right", NULL, &hit);
    loader_free(loader);
    assert_null(hit.path);
    assert_int_equal(hit.passed_over.count, 1);
    assert_true(string_starts(hit.passed_over.items[0], "RPATH: $ORIGIN/right:"));
}

static void empty_runpath_switches_rpath_off(void **state)
{
    const struct stage *stage = *state;
    AUTO_FREE char *right = mem_printf("%s/right", stage->directory);
    struct loader *loader = loader_new(stage->host);
    AUTO_HIT struct loader_hit with = {0};
    AUTO_HIT struct loader_hit without = {0};
    loader_find(loader, "libx.so.1", NULL, right, NULL, &with);
    loader_find(loader, "libx.so.1", NULL, right, "", &without);
    assert_string_equal(with.why, "RPATH");
    assert_string_equal(with.where, right);
    assert_null(without.path);
    loader_free(loader);
}

static void names_with_a_slash_are_paths(void **state)
{
    const struct stage *stage = *state;
    struct loader *loader = loader_new(stage->host);
    AUTO_HIT struct loader_hit hit = {0};
    AUTO_HIT struct loader_hit none = {0};
    AUTO_HIT struct loader_hit empty = {0};
    AUTO_FREE char *path = mem_printf("%s/right/libx.so.1", stage->directory);
    loader_find(loader, path, NULL, NULL, NULL, &hit);
    assert_string_equal(hit.path, path);
    loader_find(loader, "right/libx.so.1", NULL, NULL, NULL, &none);
    assert_null(none.path);
    loader_find(loader, "", NULL, "/usr/lib", NULL, &empty);
    assert_null(empty.path);
    loader_free(loader);
}

static void live_machine_is_known(void **state)
{
    const struct stage *stage = *state;
    struct utsname name;
    char buffer[24];
    AUTO_STRLIST struct strlist directories = {0};
    assert_int_equal(uname(&name), 0);
    set_path(stage, "@/right:@/other");
    struct loader *loader = loader_new(stage->host);
    assert_string_equal(elf_machine_name(loader_machine(loader), loader_bits(loader), buffer),
                        name.machine);
    loader_directories(loader, &directories);
    assert_true(directories.count > 3);
    AUTO_FREE char *right = mem_printf("%s/right", stage->directory);
    AUTO_FREE char *other = mem_printf("%s/other", stage->directory);
    assert_string_equal(directories.items[0], right);
    assert_string_equal(directories.items[1], other);
    assert_true(strlist_has(&directories, "/usr/lib64") || strlist_has(&directories, "/usr/lib"));
    loader_free(loader);
}

/* ---- trees ---- */

/* A root whose programs are this machine's, with libraries in /opt/a and /usr/lib64. */
static struct host *make_root(const struct stage *stage)
{
    AUTO_FREE char *root = mem_printf("%s/root", stage->directory);
    run_in(
        stage->directory,
        "mkdir -p root/bin root/etc/ld.so.conf.d root/opt/a root/opt/b root/usr/lib64 root/lib64;"
        "cp probe root/bin/sh; for d in opt/a opt/b usr/lib64; do cp right/libx.so.1 root/$d; done;"
        "cp right/libx.so.1 root/opt/a/liby.so.1; cp right/libx.so.1 root/usr/lib64/libz.so.1");
    struct host *host = host_new(root, NULL);
    assert_non_null(host);
    return host;
}

static char *find_in(const struct host *host, const char *name, const char **ret_why)
{
    AUTO_HIT struct loader_hit hit = {0};
    struct loader *loader = loader_new(host);
    loader_find(loader, name, NULL, NULL, NULL, &hit);
    loader_free(loader);
    *ret_why = hit.why;
    return mem_steal(&hit.path);
}

static void expect_found(const struct host *host, const char *name, const char *path,
                         const char *why)
{
    const char *said;
    AUTO_FREE char *found = find_in(host, name, &said);
    if (!string_equal(found, path) || !string_equal(said, why))
        fail_msg("%s: %s (%s), should be %s (%s)", name, found ? found : "nothing",
                 said ? said : "", path ? path : "nothing", why ? why : "");
}

static void trees_without_cache_use_their_conf(void **state)
{
    const struct stage *stage = *state;
    struct host *host = make_root(stage);
    run_in(stage->directory,
           "cd root/etc; printf '# first\\ninclude ld.so.conf.d/*.conf\\n /opt/b/ # last\\n' >"
           "ld.so.conf; printf 'hwcap 1 nosegneg\\n/opt/a=libc6\\ninclude *.conf\\nrelative\\n' >"
           "ld.so.conf.d/a.conf; printf '/opt/nowhere' > ld.so.conf.d/.hidden.conf");
    expect_found(host, "libx.so.1", "/opt/a/libx.so.1", "ld.so.conf");
    expect_found(host, "libz.so.1", "/usr/lib64/libz.so.1", "default directory");
    expect_found(host, "libnone.so.1", NULL, NULL);
    struct loader *loader = loader_new(host);
    AUTO_STRLIST struct strlist directories = {0};
    assert_non_null(strstr(loader_problem(loader), "/etc/ld.so.cache"));
    loader_directories(loader, &directories);
    AUTO_FREE char *joined_directories = strlist_join(&directories, ":");
    assert_true(string_starts(joined_directories, "/opt/a:/opt/b:"));
    loader_free(loader);
    host_free(host);
}

static void trees_with_cache_use_it(void **state)
{
    const struct stage *stage = *state;
    if (system("PATH=$PATH:/sbin:/usr/sbin ldconfig --version >/dev/null 2>&1") != 0) {
        print_message("no ldconfig: not tested\n");
        skip();
    }
    struct host *host = make_root(stage);
    run_in(stage->directory, "echo /opt/b > root/etc/ld.so.conf; PATH=$PATH:/sbin:/usr/sbin;"
                             "ldconfig -X -r root; echo /opt/a > root/etc/ld.so.conf");
    expect_found(host, "libx.so.1", "/opt/b/libx.so.1", "ld.so.cache");
    expect_found(host, "liby.so.1", NULL, NULL);
    host_set_environment(host, "LD_LIBRARY_PATH", ":/opt/a");
    expect_found(host, "liby.so.1", "/opt/a/liby.so.1", "LD_LIBRARY_PATH");
    run_in(stage->directory, "rm root/opt/b/libx.so.1 root/opt/a/libx.so.1");
    struct loader *loader = loader_new(host);
    AUTO_HIT struct loader_hit hit = {0};
    loader_find(loader, "libx.so.1", NULL, NULL, NULL, &hit);
    assert_null(loader_problem(loader));
    assert_string_equal(hit.path, "/usr/lib64/libx.so.1");
    assert_string_equal(hit.why, "default directory");
    AUTO_FREE char *passed = joined(&hit.passed_over);
    assert_non_null(strstr(passed, "LD_LIBRARY_PATH: an empty item"));
    assert_non_null(strstr(passed, "/opt/b/libx.so.1: named by /etc/ld.so.cache, but not there"));
    loader_free(loader);
    host_free(host);
}

static void a_long_library_path_is_cut_and_said(void **state)
{
    const struct stage *stage = *state;
    struct host *host = make_root(stage);
    AUTO_TEXT struct text path = {0};
    for (int i = 0; i < 4095; i++) /* the one at the end is still looked into */
        text_printf(&path, "/opt/absent%d:", i);
    text_append(&path, "/opt/a");
    host_set_environment(host, "LD_LIBRARY_PATH", path.data);
    expect_found(host, "liby.so.1", "/opt/a/liby.so.1", "LD_LIBRARY_PATH");
    text_clear(&path);
    for (int i = 0; i < 4096; i++)
        text_append(&path, "/opt/b:/opt/b:");
    text_append(&path, "/opt/a");
    host_set_environment(host, "LD_LIBRARY_PATH", path.data);
    expect_found(host, "liby.so.1", NULL, NULL);
    AUTO_HIT struct loader_hit hit = {0};
    AUTO_STRLIST struct strlist directories = {0};
    struct loader *loader = loader_new(host);
    loader_find(loader, "liby.so.1", NULL, NULL, NULL, &hit);
    loader_directories(loader, &directories);
    AUTO_FREE char *passed = joined(&hit.passed_over);
    assert_non_null(strstr(passed, "LD_LIBRARY_PATH: more than 4096 items"));
    assert_string_equal(directories.items[0], "/opt/b");
    assert_true(directories.count < 10);
    loader_free(loader);
    host_free(host);
}

static void damaged_caches_are_a_problem(void **state)
{
    const struct stage *stage = *state;
    struct host *host = make_root(stage);
    run_in(stage->directory, "echo /opt/a > root/etc/ld.so.conf;"
                             "printf 'glibc-ld.so.cache1.1\\377\\377' > root/etc/ld.so.cache");
    struct loader *loader = loader_new(host);
    assert_non_null(strstr(loader_problem(loader), "at byte 22"));
    assert_non_null(strstr(loader_problem(loader), "/etc/ld.so.cache"));
    assert_int_equal(loader_cache(loader)->count, 0);
    loader_free(loader);
    expect_found(host, "liby.so.1", NULL, NULL); /* the loader ignores such a cache, too */
    expect_found(host, "libz.so.1", "/usr/lib64/libz.so.1", "default directory");
    host_free(host);
}

/* Where the C library is says which default directories the loader has. */
static void default_directories_follow_the_c_library(void **state)
{
    const struct stage *stage = *state;
    struct utsname name;
    assert_int_equal(uname(&name), 0);
    if (!string_equal(name.machine, "x86_64")) {
        print_message("written for x86_64: not tested\n");
        skip();
    }
    struct host *host = make_root(stage);
    static const struct {
        const char *script, *directories;
    } cases[] = {
        {"true", "/lib64:/usr/lib64:/lib:/usr/lib"},
        {"mkdir -p root/usr/lib; ln -s ../lib64 root/usr/lib/lib64; : > root/lib64/libc.so.6",
         "/lib64:/usr/lib64"},
        {"d=root/usr/lib/x86_64-linux-gnu; mkdir -p $d; : > $d/libc.so.6",
         "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib:/usr/lib"},
        {"rm -r root/lib64 root/usr/lib64 root/usr/lib/*; ln -s usr/lib root/lib64;"
         "ln -s usr/lib root/lib; ln -s lib root/usr/lib64; : > root/usr/lib/libc.so.6",
         "/lib:/usr/lib"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_STRLIST struct strlist directories = {0};
        run_in(stage->directory, cases[i].script);
        struct loader *loader = loader_new(host);
        loader_directories(loader, &directories);
        AUTO_FREE char *said = strlist_join(&directories, ":");
        assert_string_equal(said, cases[i].directories);
        assert_int_equal(loader_machine(loader), EM_X86_64);
        loader_free(loader);
    }
    host_free(host);
}

static void trees_without_programs_take_anything(void **state)
{
    const struct stage *stage = *state;
    struct host *host = make_root(stage);
    run_in(stage->directory,
           "rm root/bin/sh; printf '\\267' |"
           "dd of=root/usr/lib64/libz.so.1 bs=1 seek=18 conv=notrunc 2>/dev/null");
    struct loader *loader = loader_new(host);
    assert_int_equal(loader_machine(loader), 0);
    assert_int_equal(loader_bits(loader), 0);
    loader_free(loader);
    expect_found(host, "libz.so.1", "/usr/lib64/libz.so.1", "default directory");
    host_free(host);
    loader_free(NULL);
    loader_hit_free(NULL);
}

#define ON_STAGE(test) cmocka_unit_test_setup_teardown(test, make_stage, remove_stage)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(known_names_agree),
        ON_STAGE(every_cached_name_is_found),
        ON_STAGE(library_path_agrees),
        ON_STAGE(current_directory_is_named),
        ON_STAGE(unreadable_files_are_passed_over),
        ON_STAGE(processor_levels_agree),
        ON_STAGE(paths_of_objects_agree),
        ON_STAGE(origin_of_a_link_agrees),
        ON_STAGE(unknown_origin_is_passed_over),
        ON_STAGE(empty_runpath_switches_rpath_off),
        ON_STAGE(names_with_a_slash_are_paths),
        ON_STAGE(live_machine_is_known),
        ON_STAGE(trees_without_cache_use_their_conf),
        ON_STAGE(trees_with_cache_use_it),
        ON_STAGE(a_long_library_path_is_cut_and_said),
        ON_STAGE(damaged_caches_are_a_problem),
        ON_STAGE(default_directories_follow_the_c_library),
        ON_STAGE(trees_without_programs_take_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
