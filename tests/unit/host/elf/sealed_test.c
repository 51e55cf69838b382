/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <elf.h>
#include <stdio.h>
#include <unistd.h>

#include "host/elf/sealed.h"
#include "host/packed/checksum.h"
#include "host/root/host.h"

#define BODY 4096u /* bytes of the program; its section headers are the last ones */

struct program {
    unsigned char bytes[BODY + 32];
    size_t size;
};

static void store32(unsigned char *bytes, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
}

static void make(struct program *program)
{
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_shoff = BODY - 2 * sizeof(Elf64_Shdr),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 2,
    };
    memset(program->bytes, 'x', sizeof(program->bytes));
    memcpy(program->bytes, &header, sizeof(header));
    unsigned char *seal = program->bytes + BODY;
    memcpy(seal, "gpuenv\r\n", 8);
    store32(seal + 8, checksum_add(0, program->bytes, BODY));
    store32(seal + 12, BODY);
    program->size = BODY + 16;
}

static enum host_status check_bytes(const struct program *program, enum sealed *ret_sealed,
                                    struct error *error)
{
    char path[] = "/tmp/sealed_test.XXXXXX";
    AUTO_HOST struct host *host = host_new("/", NULL);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, program->bytes, program->size), program->size);
    close(fd);
    enum host_status status = sealed_check(host, path, ret_sealed, error);
    unlink(path);
    return status;
}

static void assert_state(const struct program *program, enum sealed wanted)
{
    AUTO_ERROR struct error error = {0};
    enum sealed sealed;
    assert_int_equal(check_bytes(program, &sealed, &error), HOST_OK);
    assert_int_equal(sealed, wanted);
}

static void test_states(void **state)
{
    (void)state;
    struct program program;
    if (!checksum_is_known())
        skip();
    make(&program);
    assert_state(&program, SEALED_WHOLE);
    program.bytes[1000] ^= 1;
    assert_state(&program, SEALED_DAMAGED);
    make(&program);
    program.bytes[BODY + 12] ^= 1; /* another size */
    assert_state(&program, SEALED_DAMAGED);
    make(&program);
    program.size = BODY; /* as strip leaves it */
    assert_state(&program, SEALED_NONE);
    program.size = BODY - 1;
    assert_state(&program, SEALED_CUT);
    program.size = 100;
    assert_state(&program, SEALED_CUT);
    make(&program);
    program.size += 3; /* something was appended */
    assert_state(&program, SEALED_NONE);
}

static void test_no_program(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    enum sealed sealed = SEALED_WHOLE;
    struct program program;
    make(&program);
    program.bytes[0] = '#';
    assert_int_equal(check_bytes(&program, &sealed, &error), HOST_FAILED);
    assert_int_equal(error.kind, ERROR_DATA);
    error_clear(&error);
    program.size = 20;
    assert_int_equal(check_bytes(&program, &sealed, &error), HOST_FAILED);
    error_clear(&error);
    AUTO_HOST struct host *host = host_new("/", NULL);
    assert_int_equal(sealed_check(host, "/nonexistent/gpuenv", &sealed, &error), HOST_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_no_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
