/* SPDX-License-Identifier: MIT */
/* Stands in for libnvidia-ml.so.1 in ask_nvml_test.c, which compiles it in several shapes:
 *   OLDEST         only the names that the first versions had
 *   BARE           only what is needed to list GPUs, and nvmlDeviceGetName
 *   EMPTY          nothing at all
 *   NO_HANDLES     no nvmlDeviceGetHandleByIndex
 *   INIT=N         nvmlInit returns N
 *   STRICT         nvmlSystemGetCudaDriverVersion wants nvmlInit first
 *   FAIL=N         every call about a GPU returns N
 *   COUNT=N        nvmlDeviceGetCount says N; there are two GPUs
 *   MANY           every index is the first GPU
 *   LOST           the handle of the second GPU cannot be had
 *   ODD            texts without an end, numbers that cannot be
 *   STRUCTS=N      structs newer than version N are refused
 *   ROW=N          process rows are N bytes long, whatever the function's name
 *   PROCESSES=N    that many compute processes
 *   CLEARS         the whole buffer for processes is cleared first
 *   SAYS=N         it says that it filled N rows
 *   MIG            MIG mode is on; instances 0 and 2 exist
 * Layouts and numbers: nvml.h 12.9.79. */
#ifndef EMPTY
#include <string.h>

#ifndef INIT
#define INIT 0
#endif
#ifndef FAIL
#define FAIL 0
#endif
#ifndef COUNT
#define COUNT 2
#endif
#ifndef STRUCTS
#define STRUCTS 3
#endif
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifdef ODD
#define ODD_OR(odd, usual) (odd)
#else
#define ODD_OR(odd, usual) (usual)
#endif
#ifdef OLDEST
#define NEWEST(name, suffix) name
#else
#define NEWEST(name, suffix) name##suffix
#endif

typedef struct gpu {
    int index;
} * device;

static struct gpu gpus[2] = {{0}, {1}};

const char *nvmlErrorString(int result)
{
    switch (result) {
    case 0:
        return "Success";
    case 3:
        return "Not Supported";
    case 4:
        return "Insufficient Permissions";
    case 9:
        return "Driver Not Loaded";
    case 15:
        return "GPU is lost";
    case 999:
        return "Unknown Error";
    default:
        return NULL;
    }
}

int NEWEST(nvmlInit, _v2)(void)
{
    return INIT;
}

int NEWEST(nvmlDeviceGetCount, _v2)(unsigned *count)
{
    *count = COUNT;
    return 0;
}

#ifndef NO_HANDLES
int NEWEST(nvmlDeviceGetHandleByIndex, _v2)(unsigned index, device *handle)
{
#ifdef MANY
    index = 0;
#endif
    if (index > 1)
        return 2;
#ifdef LOST
    if (index == 1)
        return 15;
#endif
    *handle = &gpus[index];
    return 0;
}
#endif

#if !defined(OLDEST) && !defined(BARE)
int nvmlSystemGetConfComputeState(unsigned state[3])
{
    state[0] = 2;
    state[1] = ODD_OR(5, 1);
    return FAIL;
}

int nvmlSystemGetConfComputeGpusReadyState(unsigned *ready)
{
    *ready = ODD_OR(7, 0);
    return FAIL;
}
#endif

static int text(char *buffer, unsigned size, const char *usual)
{
#ifdef ODD
    memset(buffer, '\033', size);
    memcpy(buffer, "%n%s\xff\"\\\n", 8);
#else
    if (size <= strlen(usual))
        return 7;
    strcpy(buffer, usual);
#endif
    return 0;
}

int nvmlDeviceGetName(device gpu, char *name, unsigned size)
{
    return FAIL ? FAIL : text(name, size, gpu->index ? "NVIDIA B" : "NVIDIA A");
}

#ifndef BARE
int nvmlSystemGetNVMLVersion(char *version, unsigned size)
{
    return text(version, size, "12.570.86.15");
}

int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
    return text(version, size, "570.86.15");
}

int NEWEST(nvmlSystemGetCudaDriverVersion, _v2)(int *version)
{
    *version = ODD_OR(-5, 12080);
#ifdef STRICT
    return INIT ? 1 : 0;
#endif
    return 0;
}

int nvmlDeviceGetUUID(device gpu, char *uuid, unsigned size)
{
    return FAIL ? FAIL : text(uuid, size, gpu->index ? "GPU-1" : "GPU-0");
}

struct pci {
    char legacy[16];
    unsigned domain, bus, device, ids[2];
#ifdef OLDEST
    unsigned reserved[4];
#else
    char id[32];
#endif
};

int NEWEST(nvmlDeviceGetPciInfo, _v3)(device gpu, struct pci *pci)
{
    memset(pci, 0x7f, sizeof(*pci));
    pci->domain = gpu->index ? 0x10000 : 0;
    pci->bus = ODD_OR(4096, 0xaf);
    pci->device = 0x1f;
    return FAIL;
}

int nvmlDeviceGetCudaComputeCapability(device gpu, int *major, int *minor)
{
    *major = ODD_OR(-9, 9);
    *minor = gpu->index;
    return FAIL;
}

struct memory {
    unsigned long long total, free, used;
};
int nvmlDeviceGetMemoryInfo(device gpu, struct memory *memory)
{
    *memory = (struct memory){1000, 300, 700};
    return gpu ? FAIL : 2;
}

#ifndef OLDEST
struct memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
int nvmlDeviceGetMemoryInfo_v2(device gpu, struct memory_v2 *memory)
{
    if (STRUCTS < 2 || memory->version != (2u << 24 | 40))
        return 25;
    *memory = (struct memory_v2){memory->version, ODD_OR(~0ull, 1000), 100, 300, 600};
    return gpu ? FAIL : 2;
}
#endif

int nvmlDeviceGetUtilizationRates(device gpu, unsigned rates[2])
{
    rates[0] = ODD_OR(5000, 37);
    rates[1] = 1;
    return gpu ? FAIL : 2;
}

#define NUMBER(function, value)                                                                    \
    int function(device gpu, unsigned *number)                                                     \
    {                                                                                              \
        *number = (value);                                                                         \
        return gpu ? FAIL : 2;                                                                     \
    }
NUMBER(nvmlDeviceGetComputeMode, ODD_OR(77, 3))
NUMBER(nvmlDeviceGetDisplayActive, ODD_OR(7, 1))
NUMBER(nvmlDeviceGetPersistenceMode, 0)
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, 4)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, 5)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, 8)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, 16)
NUMBER(nvmlDeviceGetPowerUsage, 71000)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, 500000)
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, 700000)
NUMBER(nvmlDeviceGetRetiredPagesPendingStatus, 1)
NUMBER(nvmlDeviceGetMaxMigDeviceCount, ODD_OR(1u << 31, 7))

int nvmlDeviceGetMigMode(device gpu, unsigned *current, unsigned *pending)
{
#if defined(MIG) || defined(ODD)
    *current = 1;
#else
    *current = 0;
#endif
    *pending = 0;
    return gpu ? FAIL : 2;
}

int nvmlDeviceGetMigDeviceHandleByIndex(device gpu, unsigned index, device *instance)
{
    *instance = gpu;
    return index == 0 || index == 2 ? 0 : 6;
}

static unsigned clock_of(int kind, unsigned sm, unsigned memory)
{
    return kind == 1 ? sm : kind == 2 ? memory : 1;
}

int nvmlDeviceGetClockInfo(device gpu, int kind, unsigned *clock)
{
    *clock = clock_of(kind, 345, 2619);
    return gpu ? FAIL : 2;
}

int nvmlDeviceGetMaxClockInfo(device gpu, int kind, unsigned *clock)
{
    *clock = clock_of(kind, 1980, 2620);
    return gpu ? FAIL : 2;
}

#ifdef OLDEST
int nvmlDeviceGetCurrentClocksThrottleReasons(device gpu, unsigned long long *reasons)
#else
int nvmlDeviceGetCurrentClocksEventReasons(device gpu, unsigned long long *reasons)
#endif
{
    *reasons = 0x1 | 0x40 | 1ull << 33;
    return gpu ? FAIL : 2;
}

int nvmlDeviceGetTemperature(device gpu, int sensor, unsigned *temperature)
{
    *temperature = 33;
    return sensor == 0 && gpu ? FAIL : 2;
}

#ifndef OLDEST
int nvmlDeviceGetTemperatureV(device gpu, int temperature[3])
{
    if (STRUCTS < 2 || temperature[0] != (1 << 24 | 12) || temperature[1] != 0)
        return 25;
    temperature[2] = -4;
    return gpu ? FAIL : 2;
}
#endif

int nvmlDeviceGetEccMode(device gpu, unsigned *current, unsigned *pending)
{
    *current = 1;
    *pending = 0;
    return gpu ? FAIL : 2;
}

int nvmlDeviceGetTotalEccErrors(device gpu, int type, int counter, unsigned long long *count)
{
    *count = type != 1 ? 99 : counter == 1 ? ODD_OR(~0ull, 12) : 2;
    return gpu ? FAIL : 2;
}

int nvmlDeviceGetRemappedRows(device gpu, unsigned *correctable, unsigned *uncorrectable,
                              unsigned *pending, unsigned *failure)
{
    *correctable = 5;
    *uncorrectable = 6;
    *pending = 1;
    *failure = 0;
    return gpu ? FAIL : 2;
}

/* Three pages after single-bit errors, for whose addresses there is no room, and none after others.
 */
int nvmlDeviceGetRetiredPages(device gpu, int cause, unsigned *count, unsigned long long *addresses)
{
    (void)addresses;
    *count = cause == 0 ? 3 : 0;
    if (!gpu)
        return 2;
    return cause == 0 && FAIL == 0 ? 7 : FAIL;
}

/* The first GPU has links 0 to 3, the last of them down; a link from 18 on is unheard of. */
int nvmlDeviceGetNvLinkState(device gpu, unsigned link, unsigned *state)
{
    *state = link != 3;
    if (FAIL)
        return FAIL;
    return link >= 18 ? 2 : link < 4 && gpu->index == 0 ? 0 : 3;
}

struct fabric {
    unsigned char cluster[16];
    unsigned status, clique;
    unsigned char state;
};
int nvmlDeviceGetGpuFabricInfo(device gpu, struct fabric *fabric)
{
    fabric->status = 1;
    fabric->state = 1;
    return gpu ? FAIL : 2;
}

#ifndef OLDEST
struct fabric_v {
    unsigned version;
    struct {
        unsigned char cluster[16];
        unsigned status, clique;
        unsigned char state;
    } info;
    unsigned health_mask;
};
int nvmlDeviceGetGpuFabricInfoV(device gpu, struct fabric_v *fabric)
{
    if (STRUCTS < 2 || fabric->version != (STRUCTS == 2 ? (2u << 24 | 36) : (3u << 24 | 40)))
        return 25;
    fabric->info.status = 7 + STRUCTS;
    fabric->info.state = ODD_OR(200, 3);
    return gpu ? FAIL : 2;
}
#endif

/* Rows of any length that begin with the process id and, at 8, the bytes. */
static int rows(unsigned *count, unsigned char *buffer, unsigned filled, unsigned first, int size)
{
    unsigned room = *count;
#ifdef ROW
    size = ROW;
#endif
    *count = filled;
    if (room < filled)
        return 7;
#ifdef CLEARS
    memset(buffer, 0, (size_t)room * size);
#endif
    for (unsigned i = 0; i < filled; i++) {
        unsigned char *row = buffer + (size_t)i * size;
        unsigned pid = first + i;
        unsigned long long bytes = i == 1 ? ~0ull : (i + 1) * 1000ull;
        memset(row + 8, 0xff, size - 8);
        memcpy(row, &pid, sizeof(pid));
        memcpy(row + 8, &bytes, sizeof(bytes));
    }
#ifdef SAYS
    *count = SAYS;
#endif
    return 0;
}

#ifdef OLDEST
#define SIZE_OF_ROW 16
#else
#define SIZE_OF_ROW 24
#endif

int NEWEST(nvmlDeviceGetComputeRunningProcesses, _v3)(device gpu, unsigned *count, void *buffer)
{
    return FAIL ? FAIL : rows(count, buffer, gpu->index ? 0 : PROCESSES, 100, SIZE_OF_ROW);
}

/* One process that computes too, of which more is known here. */
int NEWEST(nvmlDeviceGetGraphicsRunningProcesses, _v3)(device gpu, unsigned *count, void *buffer)
{
    return FAIL ? FAIL : rows(count, buffer, gpu->index ? 0 : PROCESSES > 1, 101, SIZE_OF_ROW);
}
#endif
#endif
