/* SPDX-License-Identifier: MIT */
#include "facts/redact.h"

#include "test.h"
#include "facts/dictionary.h"
#include "facts/record.h"

/* A text and what becomes of it; NULL: it stays. Each row is a record of its own. */
static const struct {
    const char *text, *becomes;
} rows[] = {
    {"/home/alice/venv/lib", "/home/user-1/venv/lib"},
    {"/home/alice:/scratch/alice/x:/home/bob", "/home/user-1:/scratch/user-1/x:/home/user-2"},
    {"/mnt/c/Users/Jane Doe/AppData:/usr/bin", "/mnt/c/Users/user-1/AppData:/usr/bin"},
    {"C:\\Users\\jane\\x", "C:\\Users\\user-1\\x"},
    {"/home/ubuntu/x and Ubuntu 24.04 ubuntu", "/home/user-1/x and Ubuntu 24.04 ubuntu"},
    {"/home/user-1/x", NULL},
    {"/root/.cache /home/*/x /home/kubernetes/bin/nvidia", NULL},
    {"Release Build  (root@node17)  node17", "Release Build  (root@host-1)  host-1"},
    {"(alice@node17) alice node17", "(user-1@host-1) user-1 host-1"},
    {"alice@10.1.2.3", "user-1@host-1"},
    {"write to j.doe+gpu@mail.corp.com, please", "write to mail-1@example.com, please"},
    {"nvidia-persistenced@0.service cuda@12.8 xid-79@0000:01:00.0 memcpy@@GLIBC_2.14", NULL},
    {"node7.cluster.corp.net:5000/x", "host-1.example:5000/x"},
    {"https://nvidia.github.io/libnvidia-container/stable nvidia.com/gpu=all docker.io/nvidia/cuda "
     "libcuda.so.1 gsp_ga10x.bin config.in",
     NULL},
    {"from 172.16.5.4 to 172.16.5.5, 172.16.5.4", "from 192.0.2.1 to 192.0.2.2, 192.0.2.1"},
    {"tcp://10.96.0.1:443", "tcp://192.0.2.1:443"},
    {"at 10.3.2.106.", "at 192.0.2.1."},
    {"libcudnn.so.9.1.0.70 nvidia-cudnn-cu12==9.1.0.70 /opt/TensorRT/10.3.0.26/lib "
     "TensorRT-8.6.1.6 127.0.0.1",
     NULL},
    {"fe80::42:acff:fe11:2 2a00:1450:4001:81b::200e ::1 c10::Error",
     "2001:db8::1 2001:db8::2 ::1 c10::Error"},
    {"c 195:0 0000:01:00.0 13:37:01 system_u:system_r:container_t:s0:c1,c2", NULL},
    {"eth0 52:54:00:AB:cd:01, 52:54:00:ab:cd:01", "eth0 02:00:00:00:00:01, 02:00:00:00:00:01"},
    {"GPU-5f2c8c1e-1b6c-7a4e-9d3f-0a1b2c3d4e5f GPU-5f2c8c1e GPU-77aa",
     "GPU-00000001-0000-4000-8000-000000000000 GPU-00000001 GPU-00000002"},
    {"MIG-5F2C8C1E-1b6c-7a4e-9d3f-0a1b2c3d4e5f/1/0",
     "MIG-00000001-0000-4000-8000-000000000000/1/0"},
    {"/kubepods/pod5f2c8c1e_1b6c_7a4e_9d3f_0a1b2c3d4e5f/x",
     "/kubepods/pod00000001-0000-4000-8000-000000000000/x"},
    {"SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", NULL},
    {"/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "/docker/id-1"},
    {"instance i-0abc12345678def01 in projects/my-project/zones/x",
     "instance id-1 in projects/id-2/zones/x"},
    {"Serial Number: 0323420012345, serial 1234567", "Serial Number: serial-1, serial serial-2"},
    {"the serial console ttyS0; GT/s", NULL},
    {"https://bob:hunter2@host/x", "https://secret-1@host/x"},
    {"hf_abcdefghijklmnopqrst nvapi-abcdefghijklmnopqrstuv", "secret-1 secret-2"},
    {"API_KEY=abcd1234 password: hunter22; Authorization: Bearer abc.def.ghi",
     "API_KEY=secret-1 password: secret-2; Authorization: Bearer secret-3"},
    {"http://bob:pw1@proxy01:3128 http://devpi:3141/x proxy01", "http://secret-1@host-1:3128 "
                                                                "http://host-2:3141/x host-1"},
    {"https://repo.corp.zone/x file:///etc/x unix:///run/x.sock https://nvcr.io/v2",
     "https://host-1.example/x file:///etc/x unix:///run/x.sock https://nvcr.io/v2"},
    {"gs://my-bucket/x registry01:5000/team/x", "gs://host-1/x host-2:5000/team/x"},
    {"gcr.io/my-project/x europe-docker.pkg.dev/my-project/y gcr.io/google-containers/pause",
     "gcr.io/id-1/x europe-docker.pkg.dev/id-1/y gcr.io/google-containers/pause"},
    {"nas07:/export/x on /net/nas07/x nfsroot=filer:/x //files02/share",
     "host-1:/export/x on /net/host-1/x nfsroot=host-2:/x //host-3/share"},
    {"libcuda.so.1:/usr/lib gcc-12:/usr/bin/gcc-12 /bin:/usr/bin /proc/net/dev //usr/lib", NULL},
    {"systemd.hostname=gpu17 ip=dhcp:gpu17:eno1 GridLicenseServer=lic01;",
     "systemd.hostname=host-1 ip=dhcp:host-1:eno1 GridLicenseServer=host-2;"},
    {"Could not resolve host: mirror01; user 'alice', acct=\"bob\" BUILD_HOST=gpu17",
     "Could not resolve host: host-1; user 'user-1', acct=\"user-2\" BUILD_HOST=host-2"},
    {"server nas07, connected to gpu18:16000, failed on gpu19: 10.1.2.3",
     "server host-1, connected to host-2:16000, failed on host-3: 192.0.2.1"},
    {"device node nvidia0, NUMA node node1, host bridge, user mode, the server answered, "
     "--host=x86_64-linux-gnu user=root server=auto",
     NULL},
    {"/home/alice/x /tmp/mps_alice_1 x_alicex", "/home/user-1/x /tmp/mps_user-1_1 x_alicex"},
    {"ip-10-20-30-40 gke-team-gpu-pool-4f3a9c1b-x2vz gke-release i-x",
     "host-1 host-2 gke-release i-x"},
    {"[CN=Corp CA, O=Corp Inc] VM Name: vdi-alice; pod train-7d9c in namespace team-a",
     "[CN=name-1, O=name-2] VM Name: name-3; pod name-4 in namespace name-5"},
    {"Service Tag 7XYZ123, asset tag AC-00417, SN S64ANS0R51", "Service Tag serial-1, asset tag "
                                                               "serial-2, SN serial-3"},
    {"unexpected token `(' compute_80 sm_90a 570.86.15 5.15.0-91-generic", NULL},
    {"\xff\xfe/home/al\xc3\xa9/x", "\xff\xfe/home/user-1/x"},
};

static struct facts *redact(const struct facts *facts)
{
    AUTO_REDACTION struct redaction *redaction = redaction_new();
    return redaction_facts(redaction, facts);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FACTS struct facts *facts = facts_new();
        facts_set_string(facts, "log_line/0", "message", rows[i].text, "x");
        AUTO_FACTS struct facts *hidden = redact(facts);
        const char *expected = rows[i].becomes ? rows[i].becomes : rows[i].text;
        assert_string_equal(facts_string(hidden, "log_line/0", "message"), expected);
        AUTO_FACTS struct facts *again = redact(hidden);
        assert_string_equal(facts_string(again, "log_line/0", "message"), expected);
    }
}

/* What decides what is replaced is the fact, not the text alone. */
static void test_by_fact(void **state)
{
    (void)state;
    AUTO_FACTS struct facts *facts = facts_new();
    facts_set_string(facts, "environment", "NGC_API_KEY", "plain", "environment");
    facts_set_string(facts, "environment", "CUDA_HOME", "/opt/node17", "environment");
    facts_set_string(facts, "wheel/0", "version", "10.3.2.106", "x");
    facts_set_string(facts, "module_file/0", "signer", "node17 Secure Boot Module Signature key",
                     "x");
    facts_set_string(facts, "module_file/0", "signer_serial", "4f0c", "x");
    facts_set_string(facts, "module_file/1", "signer", "Corp IT Operations MOK", "x");
    facts_set_string(facts, "module_file/2", "signer", "Canonical Ltd. Kernel Module Signing", "x");
    facts_set_string(facts, "module_file/3", "signer", "node18 akmods local signing CA", "x");
    facts_set_string(facts, "module_file/4", "signer", "DKMS module signing key", "x");
    facts_set_string(facts, "docker_container/0123456789ab", "name", "secret-project", "x");
    facts_set_integer(facts, "limits", "user_id", 1000, "x");
    AUTO_FACTS struct facts *hidden = redact(facts);
    assert_string_equal(facts_string(hidden, "environment", "NGC_API_KEY"), "secret-1");
    assert_string_equal(facts_string(hidden, "environment", "CUDA_HOME"), "/opt/host-1");
    assert_string_equal(facts_string(hidden, "wheel/0", "version"), "10.3.2.106");
    assert_string_equal(facts_string(hidden, "module_file/0", "signer"),
                        "host-1 Secure Boot Module Signature key");
    assert_string_equal(facts_string(hidden, "module_file/0", "signer_serial"), "serial-1");
    assert_string_equal(facts_string(hidden, "module_file/1", "signer"), "key-1");
    assert_string_equal(facts_string(hidden, "module_file/2", "signer"),
                        "Canonical Ltd. Kernel Module Signing");
    assert_string_equal(facts_string(hidden, "module_file/3", "signer"), "key-2 akmods");
    assert_string_equal(facts_string(hidden, "module_file/4", "signer"), "DKMS module signing key");
    assert_string_equal(facts_string(hidden, "docker_container/id-1", "name"), "name-1");
    int64_t user;
    assert_true(facts_integer(hidden, "limits", "user_id", &user));
    assert_int_equal(user, 1000);
}

static void test_known_and_counted(void **state)
{
    (void)state;
    AUTO_REDACTION struct redaction *redaction = redaction_new();
    AUTO_FACTS struct facts *facts = facts_new();
    redaction_know(redaction, REDACTED_HOST, "Gandalf.corp.net");
    redaction_know(redaction, REDACTED_USER, "root");
    redaction_know(redaction, REDACTED_USER, NULL);
    facts_set_string(facts, "os", "id", "gandalf root gandalf.corp.net", "x");
    AUTO_FACTS struct facts *hidden = redaction_facts(redaction, facts);
    assert_string_equal(facts_string(hidden, "os", "id"), "host-1 root host-1.example");
    assert_int_equal(redaction_count(redaction, REDACTED_HOST), 1);
    assert_int_equal(redaction_count(redaction, REDACTED_USER), 0);
    assert_string_equal(redaction_word(REDACTED_HOST), "host name");
    assert_null(redaction_text(redaction, NULL));
}

/* Rows name facts that there are, and a search finds each. */
static void test_privacies(void **state)
{
    (void)state;
    for (const struct fact_private *row = fact_privacies; row->kind; row++) {
        AUTO_FREE char *group = mem_printf("%s%s", row->kind, row->of_instance ? "/0" : "");
        assert_non_null(dictionary_entry(group, row->name));
        assert_int_equal(dictionary_privacy(group, row->name), row->privacy);
    }
    assert_int_equal(dictionary_privacy("log_line/0", "message"), PRIVACY_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_by_fact),
        cmocka_unit_test(test_known_and_counted),
        cmocka_unit_test(test_privacies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
