/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facts/dictionary.h"
#include "host/child/child_process.h"
#include "host/root/clock.h"
#include "probe/vendor/answers.h"
#include "probe/vendor/ask.h"

#define SOURCE  TEST_SOURCE_DIR "/tests/fakes/nvml_stand_in.c"
#define GROUP   "answer/libnvidia-ml.so.1"
#define LIMIT   20000 /* ms: far more than any of it takes */
#define SKIPPED 77

/* What one library answered. */
struct answered {
    struct host *host;
    struct facts *facts;
    struct reply reply;
    size_t thrown_away;
};

static char directory[] = "/tmp/gpuenv-ask-nvml-XXXXXX";

static void ask(struct channel *channel, const void *context)
{
    ask_nvml(channel, context, GROUP);
}

static const struct vendor_question *nvml_question(void)
{
    const struct vendor_question *question = vendor_questions;
    while (!string_equal(question->library, "libnvidia-ml.so.1"))
        question++;
    return question;
}

static struct answered answered_by(const char *path)
{
    struct answered answered = {.host = host_new("/", NULL), .facts = facts_new()};
    struct asking asking = {.library = "libnvidia-ml.so.1", .ask = ask, .context = path};
    asking_all(answered.host, &asking, 1, clock_ms() + LIMIT, &answered.reply);
    answered.thrown_away =
        answers_take(&answered.reply.answers, nvml_question(), GROUP, answered.facts);
    return answered;
}

static void answered_free(struct answered *answered)
{
    reply_free(&answered->reply);
    facts_free(answered->facts);
    host_free(answered->host);
}

/* Compiles the stand-in in a shape, "-DFAIL=3", and asks it. All of it must be said to the end. */
static struct answered asked(const char *shape)
{
    AUTO_FREE char *path = mem_printf("%s/libnvidia-ml.so.1", directory);
    AUTO_FREE char *command = mem_printf("cc -w -shared -fPIC %s -o '%s' \"$NVML\"", shape, path);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): of the test's own making */
    struct answered answered = answered_by(path);
    unlink(path);
    assert_null(answered.reply.reason);
    assert_true(answered.reply.complete);
    assert_int_equal(answered.thrown_away, 0);
    return answered;
}

#define AUTO_ANSWERED AUTO(answered_free)

static const struct fact *get(const struct answered *answered, const char *group, const char *name)
{
    const struct fact *fact = facts_get(answered->facts, group, name);
    if (fact == NULL)
        fail_msg("%s %s was not answered", group, name);
    return fact;
}

static void is_string(const struct answered *answered, const char *group, const char *name,
                      const char *value)
{
    const struct fact *fact = get(answered, group, name);
    assert_int_equal(fact->state, FACT_VALUE);
    assert_string_equal(fact->string, value);
}

static void is_integer(const struct answered *answered, const char *group, const char *name,
                       int64_t value)
{
    const struct fact *fact = get(answered, group, name);
    assert_int_equal(fact->state, FACT_VALUE);
    assert_int_equal(fact->type, FACT_INTEGER);
    assert_int_equal(fact->integer, value);
}

static void is_boolean(const struct answered *answered, const char *group, const char *name,
                       bool value)
{
    const struct fact *fact = get(answered, group, name);
    assert_int_equal(fact->state, FACT_VALUE);
    assert_int_equal(fact->type, FACT_BOOLEAN);
    assert_int_equal(fact->boolean, value);
}

static void is_list(const struct answered *answered, const char *group, const char *name,
                    const char *joined)
{
    const struct fact *fact = get(answered, group, name);
    assert_int_equal(fact->state, FACT_VALUE);
    AUTO_FREE char *text = strlist_join(&fact->list, ", ");
    assert_string_equal(text, joined);
}

static void is_absent(const struct answered *answered, const char *group, const char *name,
                      const char *source)
{
    const struct fact *fact = get(answered, group, name);
    assert_int_equal(fact->state, FACT_ABSENT);
    assert_string_equal(fact->source, source);
}

static void is_unknown(const struct answered *answered, const char *group, const char *name,
                       const char *reason)
{
    const struct fact *fact = get(answered, group, name);
    assert_int_equal(fact->state, FACT_UNKNOWN);
    assert_string_equal(fact->reason, reason);
}

static void all_newest(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("");
    is_string(&a, GROUP, "version", "12.570.86.15");
    is_integer(&a, GROUP, "init", 0);
    is_string(&a, GROUP, "init_name", "Success");
    is_string(&a, GROUP, "driver_version", "570.86.15");
    is_string(&a, GROUP, "cuda_version", "12.8");
    is_integer(&a, GROUP, "device_count", 2);
    is_integer(&a, "nvml", "count", 2);
    is_boolean(&a, "nvml", "confidential", true);
    is_boolean(&a, "nvml", "confidential_ready", false);
    is_string(&a, "nvml/0", "name", "NVIDIA A");
    is_string(&a, "nvml/1", "name", "NVIDIA B");
    is_string(&a, "nvml/0", "uuid", "GPU-0");
    is_string(&a, "nvml/0", "bus_id", "0000:af:1f.0");
    is_string(&a, "nvml/1", "bus_id", "10000:af:1f.0");
    is_string(&a, "nvml/1", "capability", "9.1");
    is_integer(&a, "nvml/0", "memory_total_bytes", 1000);
    is_integer(&a, "nvml/0", "memory_used_bytes", 600);
    is_integer(&a, "nvml/0", "memory_free_bytes", 300);
    assert_string_equal(get(&a, "nvml/0", "memory_used_bytes")->source,
                        "nvmlDeviceGetMemoryInfo_v2");
    is_integer(&a, "nvml/0", "utilization_percent", 37);
    assert_string_equal(get(&a, "nvml/0", "bus_id")->source, "nvmlDeviceGetPciInfo_v3");
}

static void all_numbers(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("");
    is_string(&a, "nvml/0", "compute_mode", "exclusive-process");
    is_boolean(&a, "nvml/0", "display_active", true);
    is_boolean(&a, "nvml/0", "persistence", false);
    is_boolean(&a, "nvml/0", "mig", false);
    is_integer(&a, "nvml/0", "mig_instances", 0);
    is_integer(&a, "nvml/0", "pcie_generation", 4);
    is_integer(&a, "nvml/0", "pcie_generation_max", 5);
    is_integer(&a, "nvml/0", "pcie_width", 8);
    is_integer(&a, "nvml/0", "pcie_width_max", 16);
    is_integer(&a, "nvml/0", "clock_sm_mhz", 345);
    is_integer(&a, "nvml/0", "clock_sm_max_mhz", 1980);
    is_integer(&a, "nvml/0", "clock_memory_mhz", 2619);
    is_list(&a, "nvml/0", "clock_event_reasons", "idle, hw_thermal, bit_33");
    is_integer(&a, "nvml/0", "temperature_c", -4);
    is_integer(&a, "nvml/0", "power_mw", 71000);
    is_integer(&a, "nvml/0", "power_limit_mw", 500000);
    is_integer(&a, "nvml/0", "power_default_mw", 700000);
    is_boolean(&a, "nvml/0", "ecc", true);
    is_integer(&a, "nvml/0", "ecc_uncorrected_volatile", 2);
    is_integer(&a, "nvml/0", "ecc_uncorrected_aggregate", 12);
    is_integer(&a, "nvml/0", "remapped_correctable", 5);
    is_integer(&a, "nvml/0", "remapped_uncorrectable", 6);
    is_boolean(&a, "nvml/0", "remap_pending", true);
    is_boolean(&a, "nvml/0", "remap_failure", false);
    is_integer(&a, "nvml/0", "retired_pages_single", 3);
    is_integer(&a, "nvml/0", "retired_pages_double", 0);
    is_boolean(&a, "nvml/0", "retired_pages_pending", true);
    is_list(&a, "nvml/0", "processes", "100 1000, 101 1000");
    is_list(&a, "nvml/1", "processes", "");
    is_integer(&a, "nvml/0", "nvlinks_active", 3);
    is_integer(&a, "nvml/0", "nvlinks_inactive", 1);
    is_absent(&a, "nvml/1", "nvlinks_active", "nvmlDeviceGetNvLinkState");
    is_string(&a, "nvml/0", "fabric_state", "completed");
    is_integer(&a, "nvml/0", "fabric_status", 10);
}

/* Every fact of the dictionary is answered in every shape, one way or another. */
static void every_fact(void **state)
{
    static const char *const shapes[] = {"", "-DOLDEST", "-DBARE", "-DFAIL=999", "-DODD", "-DLOST"};
    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        AUTO_ANSWERED struct answered a = asked(shapes[i]);
        for (const struct fact_entry *entry = fact_entries; entry->kind; entry++) {
            if (!string_equal(entry->kind, "nvml"))
                continue;
            get(&a, entry->of_instance ? "nvml/0" : "nvml", entry->name);
            get(&a, entry->of_instance ? "nvml/1" : "nvml", entry->name);
        }
        for (size_t fact = 0; nvml_question()->facts[fact]; fact++)
            get(&a, GROUP, nvml_question()->facts[fact]);
    }
}

static void oldest_names(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DOLDEST");
    is_integer(&a, "nvml", "count", 2);
    is_string(&a, "nvml/0", "bus_id", "0000:af:1f.0");
    is_integer(&a, "nvml/0", "memory_used_bytes", 700);
    assert_string_equal(get(&a, "nvml/0", "memory_used_bytes")->source, "nvmlDeviceGetMemoryInfo");
    is_integer(&a, "nvml/0", "temperature_c", 33);
    is_list(&a, "nvml/0", "clock_event_reasons", "idle, hw_thermal, bit_33");
    assert_string_equal(get(&a, "nvml/0", "clock_event_reasons")->source,
                        "nvmlDeviceGetCurrentClocksThrottleReasons");
    is_list(&a, "nvml/0", "processes", "100 1000, 101 1000");
    assert_string_equal(get(&a, "nvml/0", "processes")->source,
                        "nvmlDeviceGetComputeRunningProcesses");
    is_string(&a, "nvml/0", "fabric_state", "not-started");
    is_absent(&a, "nvml/0", "fabric_status", "nvmlDeviceGetGpuFabricInfo");
    is_string(&a, GROUP, "cuda_version", "12.8");
}

static void older_structs(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered second = asked("-DSTRUCTS=2");
    is_integer(&second, "nvml/0", "memory_used_bytes", 600);
    is_integer(&second, "nvml/0", "fabric_status", 9);
    AUTO_ANSWERED struct answered first = asked("-DSTRUCTS=1");
    is_integer(&first, "nvml/0", "memory_used_bytes", 700);
    is_integer(&first, "nvml/0", "temperature_c", 33);
    is_string(&first, "nvml/0", "fabric_state", "not-started");
}

static void missing_symbols(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DBARE");
    is_string(&a, "nvml/1", "name", "NVIDIA B");
    is_absent(&a, GROUP, "version", "nvmlSystemGetNVMLVersion: not in this driver");
    is_absent(&a, "nvml", "confidential", "nvmlSystemGetConfComputeState: not in this driver");
    is_absent(&a, "nvml/0", "bus_id", "nvmlDeviceGetPciInfo_v3: not in this driver");
    is_absent(&a, "nvml/0", "memory_used_bytes", "nvmlDeviceGetMemoryInfo: not in this driver");
    is_absent(&a, "nvml/0", "mig_instances", "nvmlDeviceGetMigMode: not in this driver");
    is_absent(&a, "nvml/0", "processes",
              "nvmlDeviceGetComputeRunningProcesses: not in this driver");
    is_absent(&a, "nvml/0", "fabric_state", "nvmlDeviceGetGpuFabricInfo: not in this driver");
}

static void no_library_of_nvml(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered empty = asked("-DEMPTY");
    is_unknown(&empty, GROUP, "init", "nvmlInit_v2: not in this driver");
    is_unknown(&empty, GROUP, "init_name", "nvmlInit_v2: not in this driver");
    is_unknown(&empty, "nvml", "count", "nvmlInit_v2: not in this driver");
    AUTO_ANSWERED struct answered no_handles = asked("-DNO_HANDLES");
    is_integer(&no_handles, "nvml", "count", 2);
    is_unknown(&no_handles, "nvml/1", "name", "nvmlDeviceGetHandleByIndex_v2: not in this driver");
}

static void calls_not_supported(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DFAIL=3");
    is_integer(&a, "nvml", "count", 2);
    is_absent(&a, "nvml", "confidential", "nvmlSystemGetConfComputeState");
    is_absent(&a, "nvml", "confidential_ready", "nvmlSystemGetConfComputeGpusReadyState");
    is_absent(&a, "nvml/0", "ecc", "nvmlDeviceGetEccMode");
    is_absent(&a, "nvml/0", "mig", "nvmlDeviceGetMigMode");
    is_absent(&a, "nvml/0", "mig_instances", "nvmlDeviceGetMigMode");
    is_absent(&a, "nvml/0", "memory_free_bytes", "nvmlDeviceGetMemoryInfo_v2");
    is_absent(&a, "nvml/0", "processes", "nvmlDeviceGetGraphicsRunningProcesses_v3");
    is_absent(&a, "nvml/0", "nvlinks_active", "nvmlDeviceGetNvLinkState");
    is_absent(&a, "nvml/0", "fabric_status", "nvmlDeviceGetGpuFabricInfoV");
}

static void calls_failing(void **state)
{
    static const struct {
        const char *shape, *error;
    } cases[] = {{"-DFAIL=4", "error 4 (Insufficient Permissions)"},
                 {"-DFAIL=15", "error 15 (GPU is lost)"},
                 {"-DFAIL=999", "error 999 (Unknown Error)"},
                 {"-DFAIL=77", "error 77"},
                 {"-DFAIL=-1", "error -1"}};
    static const char *const facts[][2] = {
        {"name", "nvmlDeviceGetName"},
        {"compute_mode", "nvmlDeviceGetComputeMode"},
        {"mig", "nvmlDeviceGetMigMode"},
        {"mig_instances", "nvmlDeviceGetMigMode"},
        {"memory_used_bytes", "nvmlDeviceGetMemoryInfo_v2"},
        {"temperature_c", "nvmlDeviceGetTemperatureV"},
        {"remap_failure", "nvmlDeviceGetRemappedRows"},
        {"retired_pages_double", "nvmlDeviceGetRetiredPages"},
        {"processes", "nvmlDeviceGetComputeRunningProcesses_v3"},
        {"nvlinks_inactive", "nvmlDeviceGetNvLinkState"},
        {"fabric_state", "nvmlDeviceGetGpuFabricInfoV"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_ANSWERED struct answered a = asked(cases[i].shape);
        is_string(&a, GROUP, "driver_version", "570.86.15");
        for (size_t fact = 0; fact < sizeof(facts) / sizeof(facts[0]); fact++) {
            AUTO_FREE char *reason = mem_printf("%s: %s", facts[fact][1], cases[i].error);
            is_unknown(&a, "nvml/1", facts[fact][0], reason);
        }
    }
}

static void driver_not_loaded(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DINIT=9");
    is_integer(&a, GROUP, "init", 9);
    is_string(&a, GROUP, "init_name", "Driver Not Loaded");
    is_unknown(&a, GROUP, "driver_version", "nvmlInit_v2: error 9 (Driver Not Loaded)");
    is_unknown(&a, GROUP, "device_count", "nvmlInit_v2: error 9 (Driver Not Loaded)");
    is_unknown(&a, "nvml", "count", "nvmlInit_v2: error 9 (Driver Not Loaded)");
    is_unknown(&a, "nvml", "confidential_ready", "nvmlInit_v2: error 9 (Driver Not Loaded)");
    is_string(&a, GROUP, "version", "12.570.86.15");
    is_string(&a, GROUP, "cuda_version", "12.8");
    assert_null(facts_get(a.facts, "nvml/0", "name"));
    AUTO_ANSWERED struct answered strict = asked("-DINIT=9 -DSTRICT");
    is_unknown(&strict, GROUP, "cuda_version", "nvmlInit_v2: error 9 (Driver Not Loaded)");
}

static void gpu_lost(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DLOST");
    is_integer(&a, "nvml", "count", 2);
    is_string(&a, "nvml/0", "name", "NVIDIA A");
    is_unknown(&a, "nvml/1", "name", "nvmlDeviceGetHandleByIndex_v2: error 15 (GPU is lost)");
    is_unknown(&a, "nvml/1", "uuid", "nvmlDeviceGetHandleByIndex_v2: error 15 (GPU is lost)");
}

static void lying_count(void **state)
{
    static const char reason[] =
        "nvmlDeviceGetCount_v2: reports 1000000, which is not plausible; at most 256 are queried";
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DCOUNT=1000000");
    is_unknown(&a, "nvml", "count", reason);
    is_unknown(&a, GROUP, "device_count", reason);
    is_string(&a, "nvml/1", "name", "NVIDIA B");
    assert_null(facts_get(a.facts, "nvml/2", "name"));
    is_string(&a, GROUP, "cuda_version", "12.8");
    AUTO_ANSWERED struct answered many = asked("-DCOUNT=1000000 -DMANY");
    is_string(&many, "nvml/255", "name", "NVIDIA A");
    assert_null(facts_get(many.facts, "nvml/256", "name"));
    AUTO_ANSWERED struct answered three = asked("-DCOUNT=3");
    is_integer(&three, "nvml", "count", 3);
    is_unknown(&three, "nvml/2", "name", "nvmlDeviceGetHandleByIndex_v2: error 2");
}

static void odd_answers(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DODD");
    const char *name = get(&a, "nvml/0", "name")->string;
    assert_int_equal(strlen(name), 96);
    assert_memory_equal(name, "%n%s\xff\"\\\n\033", 9);
    assert_int_equal(strlen(get(&a, GROUP, "driver_version")->string), 96);
    assert_int_equal(get(&a, GROUP, "cuda_version")->state, FACT_UNKNOWN);
    is_unknown(&a, "nvml/0", "bus_id", "nvmlDeviceGetPciInfo_v3: says bus 4096, device 31");
    is_unknown(&a, "nvml/0", "capability", "nvmlDeviceGetCudaComputeCapability: says -9.0");
    is_unknown(&a, "nvml/0", "memory_total_bytes",
               "nvmlDeviceGetMemoryInfo_v2: says 18446744073709551615");
    is_integer(&a, "nvml/0", "memory_free_bytes", 300);
    is_unknown(&a, "nvml/0", "utilization_percent", "nvmlDeviceGetUtilizationRates: says 5000 %");
    is_unknown(&a, "nvml/0", "compute_mode", "nvmlDeviceGetComputeMode: says 77");
    is_unknown(&a, "nvml/0", "display_active",
               "nvmlDeviceGetDisplayActive: says 7, neither on nor off");
    is_unknown(&a, "nvml/0", "mig_instances",
               "nvmlDeviceGetMaxMigDeviceCount: says up to 2147483648");
    is_unknown(&a, "nvml/0", "ecc_uncorrected_aggregate",
               "nvmlDeviceGetTotalEccErrors: says 18446744073709551615");
    is_unknown(&a, "nvml/0", "fabric_state", "nvmlDeviceGetGpuFabricInfoV: says 200");
    is_unknown(&a, "nvml", "confidential",
               "nvmlSystemGetConfComputeState: says 5, neither on nor off");
    is_unknown(&a, "nvml", "confidential_ready",
               "nvmlSystemGetConfComputeGpusReadyState: says 7, neither on nor off");
}

static void mig_devices(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DMIG");
    is_boolean(&a, "nvml/0", "mig", true);
    is_integer(&a, "nvml/0", "mig_instances", 2);
}

/* Drivers differ in the length of a process's row under one and the same name. */
static void process_rows(void **state)
{
    static const char *const clears[] = {"", "-DCLEARS"};
    static const unsigned sizes[] = {16, 24, 32};
    static const unsigned counts[] = {1, 2, 3, 93, 125};
    (void)state;
    for (size_t clear = 0; clear < 2; clear++)
        for (size_t size = 0; size < 3; size++)
            for (size_t count = 0; count < sizeof(counts) / sizeof(counts[0]); count++) {
                AUTO_FREE char *shape = mem_printf("%s -DROW=%u -DPROCESSES=%u", clears[clear],
                                                   sizes[size], counts[count]);
                AUTO_FREE char *last =
                    mem_printf("%u %u", 99 + counts[count], 1000 * counts[count]);
                AUTO_ANSWERED struct answered a = asked(shape);
                const struct strlist *found = &get(&a, "nvml/0", "processes")->list;
                assert_int_equal(found->count, counts[count]);
                assert_string_equal(found->items[0], "100 1000");
                if (counts[count] != 2) /* else it is the one that the other list knows */
                    assert_string_equal(found->items[counts[count] - 1], last);
            }
}

static void many_processes(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered a = asked("-DPROCESSES=400");
    const struct strlist *found = &get(&a, "nvml/0", "processes")->list;
    assert_int_equal(found->count, 400);
    assert_string_equal(found->items[399], "499 400000");
    AUTO_ANSWERED struct answered most = asked("-DPROCESSES=605");
    assert_int_equal(get(&most, "nvml/0", "processes")->list.count, 605);
    AUTO_ANSWERED struct answered more = asked("-DPROCESSES=4000000000");
    is_unknown(&more, "nvml/0", "processes", "nvmlDeviceGetComputeRunningProcesses_v3: error 7");
    is_string(&more, "nvml/0", "fabric_state", "completed");
}

static void lying_processes(void **state)
{
    (void)state;
    AUTO_ANSWERED struct answered beyond = asked("-DSAYS=4000000000");
    is_unknown(
        &beyond, "nvml/0", "processes",
        "nvmlDeviceGetComputeRunningProcesses_v3: reports 4000000000, which is not plausible");
    AUTO_ANSWERED struct answered within = asked("-DSAYS=100");
    is_unknown(&within, "nvml/0", "processes",
               "nvmlDeviceGetComputeRunningProcesses_v3: reports 100, which is not plausible");
}

static void not_a_library(void **state)
{
    (void)state;
    AUTO_FREE char *path = mem_printf("%s/none.so", directory);
    AUTO_ANSWERED struct answered a = answered_by(path);
    assert_true(a.reply.complete);
    assert_int_equal(get(&a, GROUP, "path")->state, FACT_UNKNOWN);
    assert_null(facts_get(a.facts, GROUP, "init"));
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) && setenv("NVML", SOURCE, 1) == 0 ? 0
                                                                : -1; /* as it may need quotes */
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_newest),         cmocka_unit_test(all_numbers),
        cmocka_unit_test(every_fact),         cmocka_unit_test(oldest_names),
        cmocka_unit_test(older_structs),      cmocka_unit_test(missing_symbols),
        cmocka_unit_test(no_library_of_nvml), cmocka_unit_test(calls_not_supported),
        cmocka_unit_test(calls_failing),      cmocka_unit_test(driver_not_loaded),
        cmocka_unit_test(gpu_lost),           cmocka_unit_test(lying_count),
        cmocka_unit_test(odd_answers),        cmocka_unit_test(mig_devices),
        cmocka_unit_test(process_rows),       cmocka_unit_test(many_processes),
        cmocka_unit_test(lying_processes),    cmocka_unit_test(not_a_library),
    };
    if (system("cc --version >/dev/null 2>&1") != 0) { /* NOLINT(cert-env33-c) */
        puts("skipped: there is no C compiler named cc");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
