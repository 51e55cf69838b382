/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_ELSEWHERE_H
#define CLI_ENGINE_ELSEWHERE_H

/* Where to get a product that gpuenv does not install ("nccl", "docker"), as a next step; NULL: the
 * word is none of them. */
const char *elsewhere_advice(const char *product);

#endif
