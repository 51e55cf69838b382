/* SPDX-License-Identifier: MIT */
#include "resolve/asking.h"

#include "base/json.h"
#include "manifest/manifest.h"
#include "manifest/reader/problems.h"
#include "resolve/engine/resolution.h"
#include "resolve/framework/framework.h"

static const char *command_of(const struct asking *asking, const char *product)
{
    const struct resolve_choice *choice = chosen(asking, product);
    assert_non_null(choice);
    return choice->commands.count ? choice->commands.items[0] : NULL;
}

static void assert_build(const struct asking *asking, const char *product, const char *version,
                         const char *build, const char *rule)
{
    assert_chosen(asking, product, version, rule);
    assert_string_equal(chosen(asking, product)->build, build);
}

/* What issue 4 asks for, each checked by hand against the rows of the facts. */
static void test_must_be_shown(void **state)
{
    (void)state;
    /* 2.11 has 7.0 in its cu126 wheels alone */
    AUTO_ASKING struct asking torch = ask("535.104.05", "Tesla V100", "pytorch@2.11");
    assert_build(&torch, "pytorch", "2.11.0", "cu126", "minor_version");
    assert_string_equal(command_of(&torch, "pytorch"), "pip install torch==2.11.0 --index-url "
                                                       "https://download.pytorch.org/whl/cu126");
    assert_string_equal(candidate(&torch, "pytorch", "2.11.0", "cu128")->reason, "no_code_for_gpu");
    assert_string_equal(candidate(&torch, "pytorch", "2.11.0", "cu129")->reason, "code_unknown");
    assert_string_equal(candidate(&torch, "pytorch", "2.11.0", "cu130")->reason, "no_code_for_gpu");
    /* cuda13 begins at 7.5 */
    AUTO_ASKING struct asking jax = ask("535.104.05", "Tesla V100", "jax@0.11.0");
    assert_build(&jax, "jax", "0.11.0", "cuda12", "minor_version");
    assert_string_equal(command_of(&jax, "jax"),
                        "pip install \"jax[cuda12]==0.11.0\" \"nvidia-cudnn-cu12<9.11\"");
    assert_string_equal(candidate(&jax, "jax", "0.11.0", "cuda13")->reason, "build_drops_gpu");
    /* any driver of CUDA 12 */
    AUTO_ASKING struct asking newest = ask("535.104.05", NULL, "pytorch");
    assert_build(&newest, "pytorch", "2.14.0", "cu126", "minor_version");
    assert_string_equal(chosen(&newest, "pytorch")->cuda, "12.6");
    assert_string_equal(chosen(&newest, "pytorch")->cudnn, "9.10.2.21");
    AUTO_ASKING struct asking tensorflow = ask(NULL, NULL, "tensorflow@2.10");
    assert_chosen(&tensorflow, "tensorflow", "2.10.0", "newest");
    assert_says(chosen(&tensorflow, "tensorflow")->why, "CUDA 11.2 and cuDNN 8.1");
}

/* Machine code for 8.6 is not promised to run on 8.7, which is an integrated GPU (Jetson). */
static void test_integrated_gpu(void **state)
{
    (void)state;
    static const char claim[] = "there is machine code for every GPU here";
    AUTO_ASKING struct asking orin = ask("580.95.05", "8.7", "pytorch@2.5.1");
    assert_null(strstr(chosen(&orin, "pytorch")->why, claim));
    AUTO_ASKING struct asking ampere = ask("580.95.05", "8.6", "pytorch@2.5.1");
    assert_says(chosen(&ampere, "pytorch")->why, claim);
}

/* pip takes the newest cuDNN in the range of the build: 9.11.0 dropped what is below 7.5. */
static void test_bound_on_cudnn(void **state)
{
    (void)state;
    static const struct {
        const char *gpus, *spec, *command;
    } rows[] = {
        {"7.0", "jax@0.11.0", "pip install \"jax[cuda12]==0.11.0\" \"nvidia-cudnn-cu12<9.11\""},
        {"5.2", "jax@0.11.0", "pip install \"jax[cuda12]==0.11.0\" \"nvidia-cudnn-cu12<9.11\""},
        {"9.0;6.1", "jax@0.11.0", "pip install \"jax[cuda12]==0.11.0\" \"nvidia-cudnn-cu12<9.11\""},
        {"7.5", "jax@0.11.0", "pip install \"jax[cuda12]==0.11.0\""},
        {"7.0", "jax@0.4.30", "pip install \"jax[cuda12]==0.4.30\" \"nvidia-cudnn-cu12<9.11\""},
        {"9.0", "jax@0.4.30", "pip install \"jax[cuda12]==0.4.30\""},
        /* no range: what it brings is pinned */
        {"7.0", "tensorflow@2.19.0", "pip install \"tensorflow[and-cuda]==2.19.0\""},
        {"7.0", "tensorflow@2.21",
         "pip install \"tensorflow[and-cuda]==2.21.0\" \"nvidia-cudnn-cu12<9.11\""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ASKING struct asking asking = ask("580.178.04", rows[i].gpus, rows[i].spec);
        const struct resolve_choice *choice = &asking.resolution.chosen[0];
        assert_int_equal(asking.resolution.chosen_count, 1);
        assert_string_equal(choice->commands.items[0], rows[i].command);
        assert_int_equal(any_says(&choice->limits, "nvidia-cudnn-cu12 must stay below 9.11"),
                         strstr(rows[i].command, "cudnn") != NULL);
    }
    /* where no GPU is known nothing speaks against the newest */
    AUTO_ASKING struct asking any = ask("580.178.04", NULL, "jax@0.4.30");
    assert_string_equal(command_of(&any, "jax"), "pip install \"jax[cuda12]==0.4.30\"");
}

/* PyTorch 2.7.1 has code for Kepler, and its cuDNN 9.1.0 has none below 5.0. */
static void test_own_cudnn(void **state)
{
    (void)state;
    /* what half works is the last choice */
    AUTO_ASKING struct asking kepler = ask("470.256.02", "Tesla K80", "pytorch");
    assert_build(&kepler, "pytorch", "2.3.1", "cu118", "minor_version");
    assert_false(any_says(&chosen(&kepler, "pytorch")->limits, "cuDNN"));
    assert_string_equal(candidate(&kepler, "pytorch", "2.7.1", "cu118")->turned_down,
                        "cudnn_drops_gpu");
    assert_false(any_says(&kepler.resolution.notes, "use pytorch@<="));
    /* it is an answer where it is asked for, or where nothing else is */
    AUTO_ASKING struct asking named = ask("470.256.02", "Tesla K80", "pytorch@2.7");
    assert_build(&named, "pytorch", "2.7.1", "cu118", "minor_version");
    assert_true(
        any_says(&chosen(&named, "pytorch")->limits,
                 "cuDNN 9.1.0.70, which this build needs, requires compute capability 5.0"));
    AUTO_ASKING struct asking volta = ask("580.178.04", "V100", "pytorch@2.14");
    assert_false(any_says(&chosen(&volta, "pytorch")->limits, "cuDNN"));
    AUTO_ASKING struct asking old = ask("470.256.02", "Tesla K80", "pytorch@1.12");
    assert_false(any_says(&chosen(&old, "pytorch")->limits, "cuDNN"));
}

/* Whether pip has a wheel for a Python is no yes where the row does not tell. */
static void test_a_python_that_is_not_listed(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = asking_of("580.95.05", "A100");
    asking.machine.python = version_of("3.11");
    ask_for(&asking, "paddlepaddle@3.0.0b2", NULL);
    assert_true(any_says(&chosen(&asking, "paddlepaddle")->limits,
                         "not known whether this build has a wheel for Python 3.11"));
    AUTO_ASKING struct asking any = ask("580.95.05", "A100", "paddlepaddle@3.0.0b2");
    assert_false(any_says(&chosen(&any, "paddlepaddle")->limits, "Python"));
    /* readers.md, R2: no torch for CUDA 10.1 has a wheel for it */
    AUTO_ASKING struct asking torch = asking_of("418.67", "V100");
    torch.machine.python = version_of("3.11");
    ask_for(&torch, "pytorch", NULL);
    assert_null(chosen(&torch, "pytorch"));
    assert_string_equal(candidate(&torch, "pytorch", "1.8.1", "cu101")->turned_down,
                        "python_unsupported");
}

static void test_which_of_a_release(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "H100", "torch@2.14.0");
    assert_build(&asking, "pytorch", "2.14.0", "cu130", "exact"); /* the default on PyPI */
    const struct resolve_choice *choice = chosen(&asking, "pytorch");
    assert_true(any_says(&choice->also, "cu126 (exact): pip install torch==2.14.0"));
    assert_true(any_says(&choice->also, "cu132 (minor_version)"));
    assert_string_equal(candidate(&asking, "pytorch", "2.14.0", "cu132")->turned_down,
                        "other_build");
    /* 2.13.0+cu132 is experimental */
    AUTO_ASKING struct asking stable = ask("615.71.09", "H100", "pytorch@2.13");
    assert_build(&stable, "pytorch", "2.13.0", "cu130", "exact");
    AUTO_ASKING struct asking planned = ask("615.71.09", "H100", "onnxruntime@1.25.0.dev");
    assert_false(planned.fits);
    assert_says(planned.error.why, "was not released");
}

static void test_code(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *release, *build;
        enum fit fit;
        const char *reason;
    } rows[] = {
        {"8.6", "2.14.0", "cu126", FIT_EXACT, "driver_new_enough"},
        {"8.9", "2.14.0", "cu126", FIT_EXACT, "driver_new_enough"}, /* by code for 8.6 */
        {"10.3", "2.14.0", "cu130", FIT_EXACT, "driver_new_enough"},
        {"12.0", "2.14.0", "cu126", FIT_NO, "no_code_for_gpu"},
        {"12.0", "2.11.0", "cu128", FIT_EXACT, "driver_new_enough"},
        {"12.0", "2.11.0", "cu129", FIT_UNKNOWN, "code_unknown"},
        {"3.0", "1.7.1", "cu110", FIT_NO, "driver_drops_gpu"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ASKING struct asking asking = ask("580.178.04", rows[i].gpu, "pytorch");
        const struct resolve_candidate *one =
            candidate(&asking, "pytorch", rows[i].release, rows[i].build);
        assert_string_equal(one->reason, rows[i].reason);
        assert_int_equal(one->fit, rows[i].fit);
        assert_sound(&asking);
    }
    /* PTX that the driver compiles, and that fails there by the reports */
    AUTO_ASKING struct asking blackwell = ask("580.178.04", "12.0", "tensorflow");
    const struct resolve_candidate *wheel = candidate(&blackwell, "tensorflow", "2.20.0", NULL);
    assert_string_equal(wheel->reason, "no_code_for_gpu");
    assert_says(wheel->why, "its PTX is known to fail there");
    assert_build(&blackwell, "tensorflow", "2.19.1", "conda-cuda128", "exact");
    AUTO_ASKING struct asking ada = ask("580.178.04", "8.9", "tensorflow@2.20");
    assert_int_equal(candidate(&ada, "tensorflow", "2.20.0", NULL)->fit, FIT_EXACT);
    /* several GPUs take what all of them run */
    AUTO_ASKING struct asking both = ask("580.178.04", "H100;V100", "pytorch@2.14");
    assert_build(&both, "pytorch", "2.14.0", "cu126", "exact");
    assert_says(chosen(&both, "pytorch")->limit_gpu, "V100");
}

static void test_aarch64(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = asking_of("580.178.04", "7.5");
    asking.machine.architecture = "aarch64";
    ask_for(&asking, "pytorch@2.14", NULL);
    assert_false(asking.fits);
    assert_string_equal(candidate(&asking, "pytorch", "2.14.0", "cu130")->reason,
                        "no_code_for_gpu");
    assert_string_equal(candidate(&asking, "pytorch", "2.13.0", "conda-cuda130")->reason,
                        "no_platform");
    /* the PTX that is listed is that of the x86_64 build */
    AUTO_ASKING struct asking ptx = asking_of("580.178.04", "12.0");
    ptx.machine.architecture = "aarch64";
    ask_for(&ptx, "pytorch@2.8", NULL);
    assert_string_equal(candidate(&ptx, "pytorch", "2.8.0", "cu129")->reason, "code_unknown");
    AUTO_ASKING struct asking spark = asking_of("580.178.04", "12.1");
    spark.machine.architecture = "aarch64";
    ask_for(&spark, "jax@0.10", NULL);
    assert_string_equal(candidate(&spark, "jax", "0.10.1", "cuda13")->reason, "code_unknown");
    assert_int_equal(candidate(&spark, "jax", "0.10.2", "cuda13")->fit, FIT_MINOR);
    /* or of the one for aarch64, where there is no other */
    AUTO_ASKING struct asking tegra = asking_of("580.178.04", "8.9");
    tegra.machine.architecture = "aarch64";
    ask_for(&tegra, "pytorch@2.13", NULL);
    assert_string_equal(candidate(&tegra, "pytorch", "2.13.0", "conda-cuda12-tegra")->reason,
                        "driver_new_enough");
}

static void test_ptx(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "10.0", "onnxruntime@1.26");
    assert_build(&asking, "onnxruntime", "1.26", "cuda12.8", "exact");
    assert_true(any_says(&chosen(&asking, "onnxruntime")->limits, "no machine code"));
}

/* A compiler inside must know the GPU itself: PTX that the driver compiles is no proof. */
static void test_compiler_inside(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "B200", "tensorflow");
    const struct resolve_candidate *wheel = candidate(&asking, "tensorflow", "2.21.0", NULL);
    assert_int_equal(wheel->fit, FIT_UNKNOWN);
    assert_string_equal(wheel->reason, "compiler_unknown");
    assert_says(wheel->why, "XLA");
    AUTO_ASKING struct asking older = ask("580.178.04", "RTX 5090", "jax@0.5.3");
    assert_candidate(&older, "jax", "0.5.3", FIT_UNKNOWN, "compiler_unknown");
    /* as reports say */
    AUTO_ASKING struct asking failing = ask("580.178.04", "RTX 5090", "jax@0.4.30");
    assert_false(failing.fits);
    assert_candidate(&failing, "jax", "0.4.30", FIT_NO, "no_code_for_gpu");
    AUTO_ASKING struct asking tensorflow = ask("580.178.04", "RTX 5090", "tensorflow@2.17");
    assert_candidate(&tensorflow, "tensorflow", "2.17.0", FIT_NO, "no_code_for_gpu");
    /* machine code is proof: its makers built it for that GPU */
    AUTO_ASKING struct asking made = ask("580.178.04", "RTX 5090", "jax@0.6.0");
    assert_build(&made, "jax", "0.6.0", "cuda12", "exact");
    AUTO_ASKING struct asking hopper = ask("580.178.04", "H100", "jax@0.4.30");
    assert_build(&hopper, "jax", "0.4.30", "cuda12", "exact");
}

static struct asking ask_with_python(const char *python, const char *glibc, const char *specs)
{
    struct asking asking = asking_of("580.178.04", "H100");
    asking.machine.python = version_of(python);
    asking.machine.glibc = version_of(glibc);
    ask_for(&asking, specs, NULL);
    return asking;
}

/* pip takes no wheel of another Python, nor one that needs a newer glibc. */
static void test_python(void **state)
{
    (void)state;
    AUTO_ASKING struct asking older = ask_with_python("3.11", NULL, "jax");
    assert_chosen(&older, "jax", "0.10.2", "exact");
    assert_string_equal(candidate(&older, "jax", "0.11.0", "cuda13")->turned_down,
                        "python_unsupported");
    assert_string_equal(chosen(&older, "jax")->python, "3.11-3.14");
    AUTO_ASKING struct asking named = ask_with_python("3.11", NULL, "jax@0.11.0");
    assert_false(named.fits);
    assert_says(named.error.why, "is for Python 3.12-3.14, not for 3.11");
    AUTO_ASKING struct asking none = asking_of("418.67", "V100"); /* of newer ones no code runs */
    none.machine.python = version_of("3.11");
    ask_for(&none, "pytorch", NULL);
    assert_false(none.fits);
    assert_says(none.error.why, "pytorch 1.8.1 is for Python 3.6-3.9, not for 3.11");
    AUTO_ASKING struct asking old = asking_of("418.67", "V100");
    old.machine.python = version_of("3.8");
    ask_for(&old, "pytorch", NULL);
    assert_chosen(&old, "pytorch", "1.8.1", "exact");
    AUTO_ASKING struct asking bounded = ask_with_python("3.14", NULL, "vllm@0.10.2");
    assert_false(bounded.fits); /* ">=3.9,<3.14" of its METADATA has an end */
    AUTO_ASKING struct asking newer = ask_with_python("3.12", NULL, "jax@0.11.0");
    assert_chosen(&newer, "jax", "0.11.0", "exact");
    AUTO_ASKING struct asking any = ask_with_python(NULL, NULL, "jax@0.11.0");
    assert_chosen(&any, "jax", "0.11.0", "exact");
    AUTO_ASKING struct asking brackets = ask_with_python(NULL, NULL, "pytorch@2.6");
    assert_null(strchr(chosen(&brackets, "pytorch")->python, '('));
    /* conda brings its own */
    AUTO_ASKING struct asking conda = ask_with_python("3.6", NULL, "tensorflow@2.19.1");
    assert_build(&conda, "tensorflow", "2.19.1", "conda-cuda128", "exact");
    assert_null(chosen(&conda, "tensorflow")->python);
    /* whose CUDA is asked for may be in another environment */
    AUTO_ASKING struct asking cuda = asking_of("580.178.04", "V100");
    cuda.machine.python = version_of("3.13");
    ask_for(&cuda, "cuda", "tensorflow@2.17");
    assert_true(cuda.fits);
    AUTO_ASKING struct asking old_system = ask_with_python(NULL, "2.17", "jax");
    assert_string_equal(candidate(&old_system, "jax", "0.11.0", "cuda13")->turned_down,
                        "glibc_too_old");
    assert_chosen(&old_system, "jax", "0.7.0", "exact");
    AUTO_ASKING struct asking system = ask_with_python(NULL, "2.28", "jax@0.11.0");
    assert_chosen(&system, "jax", "0.11.0", "exact");
}

/* The line for uv, where uv has a Python that the build is for. */
static void test_uv(void **state)
{
    (void)state;
    AUTO_ASKING struct asking newer = ask_with_python(NULL, NULL, "pytorch@2.11.0");
    AUTO_FREE char *uv = mem_printf("uv %s", chosen(&newer, "pytorch")->commands.items[0]);
    assert_string_equal(chosen(&newer, "pytorch")->uv, uv);
    AUTO_ASKING struct asking old = asking_of("418.67", "V100");
    ask_for(&old, "tensorflow@1.12", NULL);
    assert_string_equal(chosen(&old, "tensorflow")->commands.items[0],
                        "pip install \"tensorflow-gpu==1.12.0\"");
    assert_null(chosen(&old, "tensorflow")->uv);
    assert_true(any_says(&old.resolution.notes, "the newest Python that tensorflow 1.12.0 is for"));
    AUTO_ASKING struct asking conda = ask_with_python("3.6", NULL, "tensorflow@2.19.1");
    assert_null(chosen(&conda, "tensorflow")->uv);
    assert_false(any_says(&conda.resolution.notes, "no command for uv"));
}

/* A wheel that the index does not have is chosen only by its release. */
static void test_gone(void **state)
{
    (void)state;
    AUTO_ASKING struct asking any = asking_of("450.248.02", "V100");
    ask_for(&any, "jax", NULL);
    assert_int_equal(chosen(&any, "jax")->commands.count, 1);
    assert_string_equal(candidate(&any, "jax", "0.4.3", "cuda11")->reason, "minor_version_"
                                                                           "compatibility");
    AUTO_ASKING struct asking named = asking_of("450.248.02", "V100");
    ask_for(&named, "jax@0.4.3", NULL);
    assert_int_equal(chosen(&named, "jax")->commands.count, 0);
    assert_null(chosen(&named, "jax")->uv);
    assert_true(any_says(&named.resolution.notes, "has no wheel of jax 0.4.3 today"));
}

/* The manifest with that wheel made of a newer CUDA. */
static struct manifest *manifest_with_cuda(const char *framework, const char *release,
                                           const char *cuda)
{
    static char text[MANIFEST_MAX];
    FILE *file = fopen(TEST_BINARY_DIR "/gpuenv.manifest.json", "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof(text), file);
    assert_int_equal(fclose(file), 0);
    AUTO_JSON json_t *json = json_parse(text, size, MANIFEST_MAX, "joined", NULL);
    json_t *builds = json_object_get(json_object_get(json, "framework"), "builds");
    for (size_t i = 0; i < json_array_size(builds); i++) {
        json_t *build = json_array_get(builds, i);
        if (string_equal(json_string_value(json_object_get(build, "framework")), framework) &&
            string_equal(json_string_value(json_object_get(build, "release")), release))
            json_object_set_new(build, "cuda", json_string(cuda));
    }
    AUTO_TEXT struct text changed = {0};
    json_append_text(json, &changed);
    AUTO_ERROR struct error error = {0};
    struct manifest *manifest =
        manifest_load(text_string(&changed), changed.size, "changed", &error);
    if (manifest == NULL)
        fail_msg("%s: %s", error.where, error.why);
    return manifest;
}

static void manifest_end(struct manifest **manifest)
{
    manifest_free(*manifest);
}

/* Minor-version compatibility does not compile PTX. */
static void test_ptx_needs_its_driver(void **state)
{
    (void)state;
    AUTO(manifest_end)
    struct manifest *manifest = manifest_with_cuda("onnxruntime", "1.26", "12.9");
    AUTO_ASKING struct asking asking = asking_of("570.86.15", "10.0");
    asking.manifest = manifest;
    ask_for(&asking, "onnxruntime@1.26", NULL);
    assert_false(asking.fits);
    assert_candidate(&asking, "onnxruntime", "1.26", FIT_NO, "driver_too_old_for_ptx");
    AUTO_ASKING struct asking newer = asking_of("575.57.08", "10.0");
    newer.manifest = manifest;
    ask_for(&newer, "onnxruntime@1.26", NULL);
    assert_build(&newer, "onnxruntime", "1.26", "cuda12.8", "exact");
    /* and so a driver that is asked for beside it */
    AUTO_ASKING struct asking driver = asking_of(NULL, "10.0");
    driver.manifest = manifest;
    ask_for(&driver, "onnxruntime@1.26 driver", NULL);
    assert_candidate(&driver, "driver", latest_driver(&driver, 570), FIT_NO,
                     "driver_too_old_for_ptx");
    assert_chosen(&driver, "driver", latest_driver(&driver, 580), "recommended");
}

/* No list of the code is known, and the makers name the compute capability. */
static void test_documented(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *spec, *version;
        const char *rule; /* NULL: nothing is chosen */
    } rows[] = {
        {"7.0", "tensorflow@2.10", "2.10.0", "exact"},
        {"3.7", "tensorflow@2.10", "2.10.0", "exact"},   /* by 3.5 */
        {"8.9", "tensorflow@2.10", "2.10.0", "exact"},   /* by 8.0 */
        {"9.0", "tensorflow@2.10", "2.10.0", "asked"},   /* ">8.0", but CUDA 11.2 has no 9.0 */
        {"9.0", "tensorflow@2.17.0", "2.17.0", "exact"}, /* ">8.0", and CUDA 12.3 has it */
        {"7.0", "tensorflow@2.14.0", "2.14.0", "asked"}, /* nothing is named */
        {"6.1", "tensorflow@1.15", "1.15.0", "exact"},   /* 3.5 at least */
        {"8.0", "tensorflow@1.15", "1.15.0", "asked"},   /* but CUDA 10.0 has no 8.0 */
        {"6.0", "rapids@25.06", NULL, NULL},             /* 7.0 at least */
        {"7.0", "ngc@24.06", "24.06", "exact"},          /* 6.0 at least */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *driver = strcmp(rows[i].gpu, "3.7") > 0 ? "580.178.04" : "470.256.02";
        AUTO_ASKING struct asking asking = ask(driver, rows[i].gpu, rows[i].spec);
        const struct resolve_choice *choice =
            asking.resolution.chosen_count ? &asking.resolution.chosen[0] : NULL;
        if (rows[i].rule == NULL) {
            assert_null(choice);
            continue;
        }
        assert_non_null(choice);
        assert_string_equal(choice->version, rows[i].version);
        assert_string_equal(choice->rule, rows[i].rule);
        assert_int_equal(strstr(choice->why, "the developers state support") != NULL,
                         string_equal(rows[i].rule, "exact"));
    }
    /* of the CUDAs that it comes for the one that still knows the GPU */
    AUTO_ASKING struct asking cupy = ask("580.178.04", "V100", "cupy@13.6");
    assert_string_equal(command_of(&cupy, "cupy"), "pip install \"cupy-cuda12x==13.6.0\"");
    /* a build of unknown code goes after one that runs, also where the release is named */
    AUTO_ASKING struct asking extra = ask("580.178.04", "V100", "cupy@14.2");
    assert_build(&extra, "cupy", "14.2.0", "cuda12x", "exact");
    assert_string_equal(command_of(&extra, "cupy"), "pip install \"cupy-cuda12x[ctk]==14.2.0\"");
    assert_null(chosen(&extra, "cupy")->limit_gpu);
    /* a build whose code is known goes before one of the same release */
    AUTO_ASKING struct asking torch = ask("580.178.04", "H100", "pytorch@2.11");
    assert_says(chosen(&torch, "pytorch")->why, "machine code for every GPU");
}

/* What an extra brings is what pip takes today, and not the lowest that it may take. */
/* What setup.py compiles for is documented, with the first CUDA that makes code for the GPU. */
static void test_compiled_at_install(void **state)
{
    (void)state;
    AUTO_ASKING struct asking ada = ask("580.95.05", "RTX 4090", "flash-attn@2.8.3.post2");
    assert_says(chosen(&ada, "flash-attn")->why, "CUDA 12.0 or newer; the developers state");
    AUTO_ASKING struct asking blackwell = ask("580.95.05", "RTX 5090", "flash-attn@2.8.3.post2");
    assert_says(chosen(&blackwell, "flash-attn")->why, "CUDA 12.8 or newer; the developers state");
    AUTO_ASKING struct asking turing = ask("580.95.05", "Tesla T4", "flash-attn@2.8.3.post2");
    assert_says(candidate(&turing, "flash-attn", "2.8.3.post2", NULL)->reason, "code_unknown");
    AUTO_ASKING struct asking mamba = ask("580.95.05", "Tesla T4", "mamba-ssm@2.3.2.post1");
    assert_says(chosen(&mamba, "mamba-ssm")->why, "CUDA 11.6 or newer; the developers state");
}

/* A framework without code for GPUs: it needs none, or a CUDA toolkit makes it on the machine. */
static void test_no_code_of_its_own(void **state)
{
    (void)state;
    static const char bindings[] = "it has no code for GPUs, and needs none";
    static const char compiled[] = "its code is compiled on this machine, for the GPU here";
    AUTO_ASKING struct asking python = ask("580.95.05", "GTX 1080", "cuda-python@13.4.4");
    assert_says(chosen(&python, "cuda-python")->why, bindings);
    AUTO_ASKING struct asking none = ask("580.95.05", NULL, "cuda-python@13.4.4");
    assert_null(strstr(chosen(&none, "cuda-python")->why, bindings));
    AUTO_ASKING struct asking tvm = ask("580.95.05", "RTX 4090", "tvm@0.27.0.post1");
    assert_says(chosen(&tvm, "tvm")->why, compiled);
    AUTO_ASKING struct asking old = ask("580.95.05", "GTX 1080", "tvm@0.27.0.post1");
    assert_says(candidate(&old, "tvm", "0.27.0.post1", NULL)->reason, "no_code_for_gpu");
}

static void test_extras_that_bring_cuda(void **state)
{
    (void)state;
    AUTO_ASKING struct asking numba = ask("580.178.04", "RTX 4090", "numba");
    assert_build(&numba, "numba-cuda", chosen(&numba, "numba-cuda")->version, "cu12", "exact");
    assert_says(command_of(&numba, "numba-cuda"), "pip install \"numba-cuda[cu12]==");
    assert_says(chosen(&numba, "numba-cuda")->why, "it includes CUDA 12.9.");
    assert_null(strstr(chosen(&numba, "numba-cuda")->why, "or newer"));
    AUTO_ASKING struct asking cupy = ask("535.104.05", "A100", "cupy");
    assert_build(&cupy, "cupy", chosen(&cupy, "cupy")->version, "cuda12x", "minor_version");
    assert_says(chosen(&cupy, "cupy")->notes, "without the extra [ctk], a CUDA 12 toolkit must be");
    AUTO_ASKING struct asking installed = ask("580.178.04", "A100", "cupy@13.6");
    assert_says(chosen(&installed, "cupy")->why, "it needs these installed: CUDA 13");
    AUTO_ASKING struct asking triton = ask("535.104.05", "A100", "triton-language@3.9");
    assert_build(&triton, "triton-language", "3.9.0", "ptxas", "minor_version");
    AUTO_ASKING struct asking blackwell = ask("570.86.16", "RTX 5090", "triton-language@3.9");
    assert_null(chosen(&blackwell, "triton-language")); /* its ptxas is of CUDA 13 */
}

/* PaddlePaddle's documentation lists GPUs by CUDA: a package that it leaves out may have the code.
 */
static void test_code_by_cuda(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "A100", "paddlepaddle@3.3");
    assert_build(&asking, "paddlepaddle", "3.3.1", "cu118", "exact");
    assert_string_equal(candidate(&asking, "paddlepaddle", "3.3.1", "cu118")->reason,
                        "driver_new_enough");
    assert_string_equal(candidate(&asking, "paddlepaddle", "3.3.1", "cu126")->reason,
                        "code_unknown");
    assert_string_equal(candidate(&asking, "paddlepaddle", "3.3.1", "cu130")->reason,
                        "code_unknown");
    /* CUDA 13 makes no code for Volta, and CUDA 10 none for Ampere */
    AUTO_ASKING struct asking volta = ask("580.178.04", "V100", "paddlepaddle@3.3");
    assert_string_equal(candidate(&volta, "paddlepaddle", "3.3.1", "cu130")->reason,
                        "no_code_for_gpu");
    AUTO_ASKING struct asking old = ask("580.178.04", "A100", "paddlepaddle@2.0");
    assert_string_equal(candidate(&old, "paddlepaddle", "2.0.2", "cu101")->reason,
                        "no_code_for_gpu");
    /* 8.9 has no row: it runs what is listed for 8.6, and Orin does not surely */
    AUTO_ASKING struct asking ada = ask("580.178.04", "RTX 4090", "paddlepaddle");
    assert_build(&ada, "paddlepaddle", "3.3.1", "cu118", "exact");
    assert_string_equal(candidate(&ada, "paddlepaddle", "3.3.1", "cu126")->reason, "code_unknown");
    AUTO_ASKING struct asking orin = ask("580.178.04", "8.7", "paddlepaddle");
    assert_null(chosen(&orin, "paddlepaddle"));
}

/* What code ONNX Runtime's wheels have is read from them. */
static void test_onnxruntime(void **state)
{
    (void)state;
    static const struct {
        const char *driver, *gpu, *version, *build;
    } cases[] = {
        {"580.178.04", "9.0", "1.31", "cuda13.0"},  {"580.178.04", "7.0", "1.26", "cuda12.8"},
        {"580.178.04", "12.0", "1.31", "cuda13.0"}, {"580.178.04", "10.0", "1.28", "cuda13.0"},
        {"570.86.15", "12.0", "1.26", "cuda12.8"},  {"550.54.15", "5.2", "1.20", "cuda12"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_ASKING struct asking asking = ask(cases[i].driver, cases[i].gpu, "onnxruntime");
        assert_true(asking.fits);
        assert_string_equal(chosen(&asking, "onnxruntime")->version, cases[i].version);
        assert_string_equal(chosen(&asking, "onnxruntime")->build, cases[i].build);
    }
    /* of the build for aarch64 nothing is known */
    AUTO_ASKING struct asking arm = asking_of("580.178.04", "9.0");
    arm.machine.architecture = "aarch64";
    ask_for(&arm, "onnxruntime@1.30", NULL);
    assert_string_equal(candidate(&arm, "onnxruntime", "1.30", "cuda13.0")->reason, "code_unknown");
    assert_string_equal(candidate(&arm, "onnxruntime", "1.28", "cuda13.0")->reason, "no_platform");
}

/* "12.x": with an older driver of CUDA 12 there may be limits, and PTX may not be compiled. */
static void test_cuda_by_its_major(void **state)
{
    (void)state;
    AUTO_ASKING struct asking ada = ask("525.60.13", "RTX 4090", "onnxruntime@1.20");
    assert_build(&ada, "onnxruntime", "1.20", "cuda12", "minor_version");
    assert_says(chosen(&ada, "onnxruntime")->why,
                "it is not known which CUDA 12 release this build is for");
    AUTO_ASKING struct asking newer = ask("580.178.04", "RTX 4090", "onnxruntime@1.20");
    assert_build(&newer, "onnxruntime", "1.20", "cuda12", "exact");
    AUTO_ASKING struct asking ptx = ask("525.60.13", "H100", "onnxruntime@1.20");
    assert_build(&ptx, "onnxruntime", "1.20", "cuda12", "asked");
    assert_string_equal(candidate(&ptx, "onnxruntime", "1.20", "cuda12")->reason,
                        "build_cuda_unknown");
    assert_null(strstr(chosen(&ptx, "onnxruntime")->why, "PTX that the driver compiles"));
    AUTO_ASKING struct asking compiled = ask("580.178.04", "H100", "onnxruntime@1.20");
    assert_build(&compiled, "onnxruntime", "1.20", "cuda12", "exact");
}

/* PTX is of the build's own kernels alone. */
static void test_libraries_before_the_gpu(void **state)
{
    (void)state;
    AUTO(manifest_end)
    struct manifest *manifest = manifest_with_cuda("onnxruntime", "1.26", "12.6");
    AUTO_ASKING struct asking newer = asking_of("580.178.04", "B200");
    newer.manifest = manifest;
    ask_for(&newer, "onnxruntime@1.26", NULL);
    assert_build(&newer, "onnxruntime", "1.26", "cuda12.8", "exact");
    assert_true(any_says(&chosen(&newer, "onnxruntime")->limits, "CUDA 12.6 is older than 12.8"));
    AUTO_ASKING struct asking known = ask("580.178.04", "RTX 4090", "tensorflow@2.21");
    assert_false(any_says(&chosen(&known, "tensorflow")->limits, "is older than"));
}

/* What pip takes today decides: the newest CUDA in the range of the build. */
static void test_newest_cuda(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "H100", "jax@0.11.0");
    assert_build(&asking, "jax", "0.11.0", "cuda12", "exact");
    const struct resolve_candidate *newer = candidate(&asking, "jax", "0.11.0", "cuda13");
    assert_int_equal(newer->fit, FIT_MINOR);
    assert_says(newer->why, "pip takes CUDA 13.");
    /* of no range of its own, by what its pins took of the index */
    AUTO_ASKING struct asking pinned = ask("560.35.03", "H100", "tensorflow@2.21.0");
    assert_chosen(&pinned, "tensorflow", "2.21.0", "minor_version");
    assert_says(chosen(&pinned, "tensorflow")->why, "pip takes CUDA 12.9");
    AUTO_ASKING struct asking fixed = ask("560.35.03", "H100", "tensorflow@2.19.0");
    assert_chosen(&fixed, "tensorflow", "2.19.0", "exact");
    AUTO_ASKING struct asking new_driver = ask("615.71.09", "H100", "jax@0.11.0");
    assert_build(&new_driver, "jax", "0.11.0", "cuda12", "exact");
    assert_says(candidate(&new_driver, "jax", "0.11.0", "cuda13")->why, "pip takes CUDA 13.");
    /* one that brings the CUDA that it was built with */
    AUTO_ASKING struct asking torch = ask("580.178.04", "H100", "pytorch@2.14");
    assert_int_equal(candidate(&torch, "pytorch", "2.14.0", "cu130")->fit, FIT_EXACT);
}

/* Code that was read from the wheels: a yes where there was none. */
static void test_code_of_wheels(void **state)
{
    (void)state;
    AUTO_ASKING struct asking old = ask("470.256.02", "RTX 3090", "onnxruntime");
    assert_build(&old, "onnxruntime", "1.18.1", "cuda11.8", "minor_version");
    assert_string_equal(command_of(&old, "onnxruntime"),
                        "pip install \"onnxruntime-gpu==1.18.1.*\"");
    AUTO_ASKING struct asking pascal = ask("470.256.02", "GTX 1080 Ti", "onnxruntime@1.18");
    assert_build(&pascal, "onnxruntime", "1.18.1", "cuda11.8", "minor_version");
    AUTO_ASKING struct asking vllm = ask("580.178.04", "RTX 5090", "vllm@0.27.1");
    assert_chosen(&vllm, "vllm", "0.27.1", "exact");
    AUTO_ASKING struct asking turing = ask("580.178.04", "V100", "vllm@0.27.1");
    assert_candidate(&turing, "vllm", "0.27.1", FIT_NO, "no_code_for_gpu");
}

/* The advice is never the command that was just typed. */
static void test_advice(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "H100", "rapids@26.12");
    assert_false(asking.fits);
    assert_null(strstr(asking.error.next, "rapids@26.12"));
}

/* What requires a torch is measured by it. */
static void test_by_torch(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("535.104.05", "H100", "vllm@0.27.1");
    const struct resolve_candidate *one = candidate(&asking, "vllm", "0.27.1", NULL);
    assert_int_equal(one->fit, FIT_NO);
    assert_says(one->why, "vllm 0.27.1 brings pytorch 2.13.0 (cu130)");
    AUTO_ASKING struct asking newer = ask("580.178.04", "H100", "vllm@0.27.1");
    assert_int_not_equal(candidate(&newer, "vllm", "0.27.1", NULL)->fit, FIT_NO);
}

/* The newest of which too little is known is named beside an older one that runs. */
static void test_newer_one_unknown(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "B200", "tensorflow");
    assert_build(&asking, "tensorflow", "2.19.1", "conda-cuda128", "exact");
    assert_true(any_says(&asking.resolution.notes, "to request it, use tensorflow@2.21.0"));
    /* one that nobody can install is no answer then */
    AUTO_ASKING struct asking image = ask("580.178.04", "RTX 4090", "ngc");
    assert_false(image.fits);
    assert_string_equal(candidate(&image, "ngc", "24.06", "mxnet")->turned_down, "no_command");
    assert_says(image.error.why, "it is not known whether ngc 26.03");
    AUTO_ASKING struct asking named = ask("580.178.04", "RTX 4090", "ngc@24.06");
    assert_build(&named, "ngc", "24.06", "mxnet", "exact");
    AUTO_ASKING struct asking known = ask("535.104.05", "V100", "jax");
    assert_false(any_says(&known.resolution.notes, "to request it, use"));
}

static void test_named_though_unknown(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("535.104.05", "A100", "tensorflow@2.14.0");
    assert_chosen(&asking, "tensorflow", "2.14.0", "asked");
    assert_candidate(&asking, "tensorflow", "2.14.0", FIT_UNKNOWN, "code_unknown");
    AUTO_ASKING struct asking image = ask("470.256.02", "Tesla V100", "ngc@23.04");
    assert_candidate(&image, "ngc", "23.04", FIT_UNKNOWN, "code_unknown");
    AUTO_ASKING struct asking stated = ask("470.256.02", "Tesla V100", "ngc@23.12");
    assert_candidate(&stated, "ngc", "23.12", FIT_COMPAT, "cuda_compat");
    /* the older branches that its makers name are for GPUs of a data centre */
    AUTO_ASKING struct asking desk = ask("535.104.05", "GeForce RTX 4090", "ngc@23.12");
    assert_candidate(&desk, "ngc", "23.12", FIT_NO, "driver_too_old");
}

static void test_cuda_of_several(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("535.104.05", NULL, "cupy");
    assert_non_null(chosen(&asking, "cupy"));
    assert_says(command_of(&asking, "cupy"), "cupy-cuda12x[ctk]==");
    AUTO_ASKING struct asking older = ask("535.104.05", NULL, "cupy@13.6");
    assert_says(command_of(&older, "cupy"), "cupy-cuda12x==");
    AUTO_ASKING struct asking newer = ask("580.178.04", NULL, "cupy@13.6");
    assert_says(command_of(&newer, "cupy"), "cupy-cuda13x==");
}

static void test_not_of_cuda(void **state)
{
    (void)state;
    AUTO_ASKING struct asking lite = ask("535.104.05", "A100", "tflite");
    assert_true(lite.fits);
    assert_int_equal(lite.resolution.chosen_count, 0);
    assert_true(any_says(&lite.resolution.notes, "TensorFlow Lite needs no CUDA"));
    AUTO_ASKING struct asking keras = ask("535.104.05", "A100", "keras");
    assert_true(keras.fits);
    assert_true(any_says(&keras.resolution.notes, "Keras runs on jax"));
    assert_non_null(chosen(&keras, "jax"));
    assert_non_null(chosen(&keras, "pytorch"));
    assert_non_null(chosen(&keras, "tensorflow"));
    AUTO_ASKING struct asking none = ask("304.137", NULL, "keras");
    assert_false(none.fits);
    assert_int_equal(none.error.kind, ERROR_UNSATISFIABLE);
}

/* A rider's release has rows of its own. */
static void test_rider(void **state)
{
    (void)state;
    AUTO_ASKING struct asking named = ask("535.104.05", "A100", "keras@3.15");
    assert_true(named.fits);
    assert_non_null(chosen(&named, "jax"));
    assert_null(chosen(&named, "tensorflow"));
    assert_true(
        any_says(&named.resolution.notes, "releases of TensorFlow that this package runs on"));
    AUTO_ASKING struct asking major = ask("535.104.05", "A100", "keras@3");
    assert_non_null(chosen(&major, "tensorflow"));
    AUTO_ASKING struct asking old = ask("535.104.05", "A100", "keras@2");
    assert_false(old.fits);
    assert_int_equal(old.resolution.chosen_count, 0);
    assert_says(old.error.why, "lists no Keras 2");
    assert_says(old.error.next, "gpuenv manifest show framework/riders");
    AUTO_ASKING struct asking newer = ask("535.104.05", "A100", "keras@99");
    assert_says(newer.error.why, "Keras 99 is newer than this manifest");
    AUTO_ASKING struct asking word = ask("535.104.05", "A100", "keras@nightly");
    assert_says(word.error.why, "lists no Keras nightly");
    /* what it runs on is not listed */
    AUTO_ASKING struct asking part = ask("535.104.05", "A100", "caffe2");
    assert_false(part.fits);
    assert_true(any_says(&part.resolution.notes,
                         "releases of PyTorch that this package runs on are not listed"));
    assert_says(part.error.why, "not listed");
}

/* What fits hides nothing of what does not. */
static void test_one_failure_is_enough(void **state)
{
    (void)state;
    static const char *const specs[] = {"pytorch@99 keras", "keras pytorch@99", "cuda@99 keras"};
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        AUTO_ASKING struct asking asking = ask("535.104.05", "A100", specs[i]);
        assert_false(asking.fits);
        assert_int_equal(asking.resolution.failed.count, 1);
        assert_says(asking.error.why, "99 is newer than this manifest");
    }
    AUTO_ASKING struct asking none = ask("304.137", NULL, "keras");
    assert_int_equal(none.resolution.failed.count, 1);
    assert_string_equal(none.resolution.failed.items[0], "keras");
}

/* What a row's release stands for. */
static void test_releases_of_a_row(void **state)
{
    (void)state;
    static const struct {
        const char *release, *asked;
        bool has;
    } rows[] = {
        {"<=2.5.1", "2.5.1", true}, {"<=2.5.1", "2.5", true},  {"<=2.5.1", "2", true},
        {"<=2.5.1", "2.4", false},  {"<=2.5.1", "2.6", false}, {"0.3-0.5", "0.4", true},
        {"0.3-0.5", "0", true},     {"0.3-0.5", "0.6", false}, {"2.x", "2.7", true},
        {"2.x", "2", true},         {"2.x", "3", false},       {"2.5.1", "2.5", true},
        {"2.5", "2.5.1", true},     {"2", "2.5", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct request request = {.asked = rows[i].asked};
        assert_true(version_parse(rows[i].asked, &request.within));
        if (framework_release_has(rows[i].release, &request) != rows[i].has)
            fail_msg("%s of %s", rows[i].asked, rows[i].release);
    }
}

static void test_unlisted_release(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = ask("580.178.04", "H100", "pytorch@9.9");
    assert_false(asking.fits);
    assert_says(asking.error.why, "PyTorch 9.9 is newer than this manifest (");
    assert_says(asking.error.next, "--manifest");
    AUTO_ASKING struct asking gap = ask("580.178.04", "H100", "pytorch@1.99");
    assert_says(gap.error.why, "lists no PyTorch 1.99");
    assert_says(gap.error.next, "gpuenv resolve -v pytorch");
    AUTO_ASKING struct asking word = ask("580.178.04", "H100", "pytorch@<");
    assert_int_equal(word.error.kind, ERROR_UNSATISFIABLE);
    assert_says(word.error.why, "lists no PyTorch <");
    AUTO_ASKING struct asking range = ask(NULL, NULL, "onnxruntime@0.4");
    assert_chosen(&range, "onnxruntime", "0.3-0.5", "newest");
    AUTO_ASKING struct asking part = ask(NULL, NULL, "onnxruntime@0");
    assert_chosen(&part, "onnxruntime", "0.3-0.5", "newest");
    AUTO_ASKING struct asking line = ask(NULL, NULL, "onnxruntime@1.26.0");
    assert_chosen(&line, "onnxruntime", "1.26", "newest");
}

static void test_for_framework(void **state)
{
    (void)state;
    AUTO_ASKING struct asking asking = asking_of("535.104.05", NULL);
    ask_for(&asking, "cuda cudnn", "tensorflow@2.10");
    assert_chosen(&asking, "cuda", "11.2.2", "wanted");
    assert_string_equal(chosen(&asking, "cuda")->pin, "none");
    assert_chosen(&asking, "cudnn", "8.9.7", "wanted");
    assert_string_equal(chosen(&asking, "cudnn")->build, "cuda11");
    AUTO_ASKING struct asking alone = asking_of("580.178.04", "H100");
    ask_for(&alone, "", "pytorch@2.5");
    assert_build(&alone, "pytorch", "2.5.1", "cu124", "exact");
    assert_chosen(&alone, "cuda", "12.4.1", "wanted");
    assert_chosen(&alone, "cudnn", "9.27.0", "wanted");
    /* it is built with cuDNN 9.10.2.21, the last for Volta */
    AUTO_ASKING struct asking volta = asking_of("580.178.04", "V100");
    ask_for(&volta, "", "pytorch@2.11");
    assert_true(volta.fits);
    assert_chosen(&volta, "cudnn", "9.10.2", "wanted");
    /* a version that is asked for goes before */
    AUTO_ASKING struct asking both = asking_of("580.178.04", "H100");
    ask_for(&both, "cuda@12.8", "pytorch@2.5");
    assert_chosen(&both, "cuda", "12.8.2", "exact");
    /* ">=5.0", of which 5.0 is not listed: the newest that its cuDNN pairs with */
    AUTO_ASKING struct asking range = asking_of("470.256.02", "GeForce GTX 1080 Ti");
    ask_for(&range, "", "caffe");
    assert_says(chosen(&range, "caffe")->why, "CUDA 5.0 or newer and cuDNN 7");
    assert_chosen(&range, "cuda", "10.2.89", "wanted");
    assert_chosen(&range, "cudnn", "7.6.5", "wanted");
    AUTO_ASKING struct asking listed = asking_of("550.54.15", "T4");
    ask_for(&listed, "", "rapids@25.12");
    assert_chosen(&listed, "cuda", "12.2.2", "wanted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_must_be_shown),
        cmocka_unit_test(test_integrated_gpu),
        cmocka_unit_test(test_bound_on_cudnn),
        cmocka_unit_test(test_own_cudnn),
        cmocka_unit_test(test_a_python_that_is_not_listed),
        cmocka_unit_test(test_which_of_a_release),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_aarch64),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_compiler_inside),
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_uv),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_ptx_needs_its_driver),
        cmocka_unit_test(test_documented),
        cmocka_unit_test(test_compiled_at_install),
        cmocka_unit_test(test_no_code_of_its_own),
        cmocka_unit_test(test_extras_that_bring_cuda),
        cmocka_unit_test(test_code_by_cuda),
        cmocka_unit_test(test_onnxruntime),
        cmocka_unit_test(test_cuda_by_its_major),
        cmocka_unit_test(test_newest_cuda),
        cmocka_unit_test(test_by_torch),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_code_of_wheels),
        cmocka_unit_test(test_newer_one_unknown),
        cmocka_unit_test(test_libraries_before_the_gpu),
        cmocka_unit_test(test_named_though_unknown),
        cmocka_unit_test(test_cuda_of_several),
        cmocka_unit_test(test_not_of_cuda),
        cmocka_unit_test(test_rider),
        cmocka_unit_test(test_one_failure_is_enough),
        cmocka_unit_test(test_releases_of_a_row),
        cmocka_unit_test(test_unlisted_release),
        cmocka_unit_test(test_for_framework),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
