// SPDX-License-Identifier: MIT
// Says which CUDA runtime it found, and how many GPUs; ends with 0 where there is no GPU either.
#include <cstdio>

__global__ void twice(int *value) { *value *= 2; }

int main()
{
    int version = 0, count = 0;
    cudaError_t error = cudaRuntimeGetVersion(&version);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "no CUDA runtime: %s\n", cudaGetErrorString(error));
        return 1;
    }
    error = cudaGetDeviceCount(&count);
    std::printf("CUDA runtime %d.%d, %d GPUs%s%s\n", version / 1000, version % 1000 / 10,
                error == cudaSuccess ? count : 0, error == cudaSuccess ? "" : ": ",
                error == cudaSuccess ? "" : cudaGetErrorString(error));
    if (error != cudaSuccess || count == 0)
        return 0;
    int *value = nullptr;
    if (cudaMallocManaged(&value, sizeof *value) != cudaSuccess)
        return 1;
    *value = 21;
    twice<<<1, 1>>>(value);
    error = cudaDeviceSynchronize();
    std::printf("2 x 21 = %d: %s\n", *value, cudaGetErrorString(error));
    return error == cudaSuccess && *value == 42 ? 0 : 1;
}
