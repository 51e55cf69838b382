/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "base/text.h"
#include "probe/kernel/der.h"

#define EFIVARS  "/sys/firmware/efi/efivars"
#define SHIM     "-605dab50-e046-4300-abb6-3dd810dd8b23"
#define DB       EFIVARS "/db-d719b2cb-3d3a-4596-a3bc-dad00e67656f"
#define MOK_LIST EFIVARS "/MokListRT" SHIM

/* Wraps what is in text into one element of DER. */
static void wrap(struct text *text, int tag)
{
    struct text content = *text;
    *text = (struct text){0};
    text_append_char(text, (char)tag);
    if (content.size >= 0x80)
        text_append_n(text, "\x82", 1), text_append_char(text, (char)(content.size >> 8));
    text_append_char(text, (char)content.size);
    text_append_n(text, text_string(&content), content.size);
    text_free(&content);
}

static void add(struct text *text, const char *bytes, size_t size)
{
    text_append_n(text, bytes, size);
}
#define ADD(text, bytes) add(text, bytes, sizeof(bytes) - 1)

/* Name ::= SEQUENCE OF SET OF SEQUENCE { type, value } */
static void add_name(struct text *text, const char *common)
{
    struct text name = {0};
    AUTO_TEXT struct text pair = {0};
    text_append(&name, common);
    wrap(&name, 0x0c);
    ADD(&pair, "\x06\x03\x55\x04\x03");
    add(&pair, name.data, name.size);
    text_free(&name);
    wrap(&pair, 0x30);
    wrap(&pair, 0x31);
    wrap(&pair, 0x30);
    add(text, pair.data, pair.size);
}

static void make_certificate(struct text *text, const char *subject)
{
    ADD(text, "\xa0\x03\x02\x01\x02");         /* version 3 */
    ADD(text, "\x02\x05\x00\xf1\x22\x33\x44"); /* serial number */
    ADD(text, "\x30\x02\x06\x00");             /* algorithm */
    add_name(text, "issuer");                  /* issuer */
    ADD(text, "\x30\x00");                     /* validity */
    add_name(text, subject);                   /* subject */
    wrap(text, 0x30);
    wrap(text, 0x30);
}

static void make_signature(struct text *text, const char *issuer)
{
    AUTO_TEXT struct text signer = {0};
    AUTO_TEXT struct text data = {0};
    add_name(&signer, issuer);
    ADD(&signer, "\x02\x02\x0a\x0b");
    wrap(&signer, 0x30);
    struct text id = signer;
    signer = (struct text){0};
    ADD(&signer, "\x02\x01\x01");
    add(&signer, id.data, id.size);
    text_free(&id);
    wrap(&signer, 0x30);
    wrap(&signer, 0x31);
    ADD(&data, "\x02\x01\x01\x31\x00\x30\x00\xa0\x02\x30\x00");
    add(&data, signer.data, signer.size);
    wrap(&data, 0x30);
    wrap(&data, 0xa0);
    ADD(text, "\x06\x01\x00");
    add(text, data.data, data.size);
    wrap(text, 0x30);
}

/* A module's end: the message, what is said of it, the line. */
static void make_module_end(struct text *text, const char *issuer)
{
    AUTO_TEXT struct text message = {0};
    make_signature(&message, issuer);
    ADD(text, "code of the module");
    add(text, message.data, message.size);
    const char about[12] = {[2] = 2, [10] = (char)(message.size >> 8), [11] = (char)message.size};
    add(text, about, sizeof(about));
    text_append(text, "~Module signature appended~\n");
}

static void signers_of_modules(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    AUTO_KEY struct der_key key = {0};
    make_module_end(&text, "DKMS module signing key");
    assert_true(der_module_signer(text.data, text.size, &key));
    assert_string_equal(key.name, "DKMS module signing key");
    assert_string_equal(key.serial, "0a0b");
    der_key_free(&key);
    assert_false(der_module_signer(text.data, text.size - 1, &key));
    assert_null(key.name);
    assert_false(der_module_signer("", 0, &key));
    assert_true(der_module_signer("~Module signature appended~\n", 28, &key));
    assert_null(key.name);
}

/* Every byte turned over and every length: it ends within the bytes. */
static void damaged_signatures(void **state)
{
    (void)state;
    AUTO_TEXT struct text message = {0};
    AUTO_TEXT struct text certificate = {0};
    make_signature(&message, "somebody");
    make_certificate(&certificate, "somebody");
    for (size_t i = 0; i < message.size; i++) {
        AUTO_KEY struct der_key key = {0};
        AUTO_FREE char *exact = mem_string_n(message.data, message.size);
        assert_false(der_signer(exact, i, &key));
        exact[i] = (char)~exact[i];
        der_signer(exact, message.size, &key);
    }
    for (size_t i = 0; i < certificate.size; i++) {
        AUTO_KEY struct der_key key = {0};
        AUTO_FREE char *exact = mem_string_n(certificate.data, certificate.size);
        assert_false(der_certificate(exact, i, &key));
        exact[i] = (char)~exact[i];
        der_certificate(exact, certificate.size, &key);
    }
}

static void append_number(struct text *text, size_t number)
{
    for (int i = 0; i < 4; i++)
        text_append_char(text, (char)(number >> (8 * i)));
}

static void add_list(struct text *text, const char *subject)
{
    AUTO_TEXT struct text certificate = {0};
    make_certificate(&certificate, subject);
    ADD(text, "\xa1\x59\xc0\xa5\xe4\x94\xa7\x4a\x87\xb5\xab\x15\x5c\x2b\xf0\x72");
    append_number(text, 28 + 16 + certificate.size);
    append_number(text, 0);
    append_number(text, 16 + certificate.size);
    ADD(text, "0123456789abcdef");
    add(text, certificate.data, certificate.size);
}

static void enrolled_keys(void **state)
{
    struct tree *tree = *state;
    AUTO_TEXT struct text list = {0};
    AUTO_TEXT struct text local = {0};
    ADD(&list, "\x06\0\0\0");
    add_list(&list, "Debian Secure Boot CA");
    add_list(&list, "DKMS module signing key");
    make_certificate(&local, "DKMS module signing key");
    tree_bytes(tree, MOK_LIST, list.data, list.size);
    tree_bytes(tree, DB, list.data, list.size - 10);
    tree_bytes(tree, EFIVARS "/MokSBStateRT" SHIM, "\x06\0\0\0\1", 5);
    tree_bytes(tree, EFIVARS "/MokNew" SHIM, "\x06\0\0\0x", 5);
    tree_bytes(tree, "/var/lib/dkms/mok.pub", local.data, local.size);
    tree_bytes(tree, "/var/lib/nvidia-pubkeys/MOK-nvidia-driver-G06-570.der", local.data,
               local.size);
    tree_file(tree, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
    tree_file(tree, "/sys/module/module/parameters/sig_enforce", "Y\n");
    tree_file(tree, "/proc/keys",
              "0a1b2c3d I------     1 perm 1f030000     0     0 asymmetri Debian Secure Boot CA: "
              "6ccece7e4c6c: X509.rsa bb419ea1 []\n"
              "1a1b2c3d I------     1 perm 1f030000     0     0 keyring   .machine: 1\n");
    tree_probe(tree, probe_secure_boot);
    assert_fact_list(tree, "secure_boot", "enrolled",
                     "Debian Secure Boot CA,DKMS module signing key");
    assert_fact_list(tree, "secure_boot", "enrolled_serials", "f1223344,f1223344");
    assert_fact_list(tree, "secure_boot", "enrolled_issuers", "issuer,issuer");
    assert_fact_list(tree, "secure_boot", "firmware_keys", "Debian Secure Boot CA");
    assert_fact_boolean(tree, "secure_boot", "validation_disabled", true);
    assert_fact_boolean(tree, "secure_boot", "enrolment_pending", true);
    assert_fact(tree, "secure_boot", "lockdown", "integrity");
    assert_fact_boolean(tree, "secure_boot", "sig_enforce", true);
    assert_fact_list(tree, "secure_boot", "local_keys",
                     "DKMS module signing key,DKMS module signing key");
    assert_fact_list(tree, "secure_boot", "local_serials", "f1223344,f1223344");
    assert_fact_list(tree, "secure_boot", "local_key_paths",
                     "/var/lib/dkms/mok.pub,"
                     "/var/lib/nvidia-pubkeys/MOK-nvidia-driver-G06-570.der");
    assert_fact_list(tree, "secure_boot", "kernel_keys", "Debian Secure Boot CA");
}

static void nothing_enrolled(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_secure_boot);
    assert_fact_absent(tree, "secure_boot", "enrolled");
    assert_fact_absent(tree, "secure_boot", "validation_disabled");
    assert_fact_boolean(tree, "secure_boot", "enrolment_pending", false);
    assert_fact_absent(tree, "secure_boot", "lockdown");
    assert_fact_absent(tree, "secure_boot", "sig_enforce");
    assert_fact_list(tree, "secure_boot", "local_keys", "");
    assert_fact_absent(tree, "secure_boot", "kernel_keys");
}

static void hostile_variables(void **state)
{
    struct tree *tree = *state;
    AUTO_TEXT struct text list = {0};
    ADD(&list, "\x06\0\0\0");
    ADD(&list, "\xa1\x59\xc0\xa5\xe4\x94\xa7\x4a\x87\xb5\xab\x15\x5c\x2b\xf0\x72");
    append_number(&list, 28);
    append_number(&list, 0xffffffff);
    append_number(&list, 17);
    tree_bytes(tree, MOK_LIST, list.data, list.size);
    tree_bytes(tree, DB, "\x06", 1);
    tree_file(tree, EFIVARS "/MokSBStateRT" SHIM, "");
    tree_file(tree, "/sys/kernel/security/lockdown", "none\033[31m");
    tree_file(tree, "/sys/module/module/parameters/sig_enforce", "maybe\n");
    tree_file(tree, "/proc/keys", "asymmetri asymmetri asymmetri : \n");
    tree_probe(tree, probe_secure_boot);
    assert_fact_list(tree, "secure_boot", "enrolled", "");
    assert_fact_list(tree, "secure_boot", "firmware_keys", "");
    assert_fact_boolean(tree, "secure_boot", "validation_disabled", false);
    assert_fact_unknown(tree, "secure_boot", "lockdown", "no word in brackets");
    assert_fact_unknown(tree, "secure_boot", "sig_enforce", "neither Y nor N");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signers_of_modules),
        cmocka_unit_test(damaged_signatures),
        tree_test(enrolled_keys),
        tree_test(nothing_enrolled),
        tree_test(hostile_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
