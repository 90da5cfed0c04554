"""Names of devices and precisions, written by `make generate` from trnbackend/device and core/precision."""

# Devices as messages list them, the host first.
KNOWN_DEVICES = (
    "cpu",
    "interp",
    "sim:trn1",
    "sim:trn2",
    "pjrt:cpu",
    "pjrt:/path/plugin.so",
    "cuda",
    "neuron",
    "neuron:<number>",
)
# Regular expressions for whole names: of all devices but the host, and of those that this version can open.
DEVICE_PATTERN = r"interp|sim:trn[12]|pjrt:(cpu|/.+)|cuda|neuron(:[0-9]+)?"
AVAILABLE_PATTERN = r"interp|pjrt:(cpu|/.+)|cuda"
# Devices whose memory is the host's.
IN_HOST_MEMORY = ("interp", "pjrt:cpu")

# What precision= may be on a device, and for df_mp2_energy on the host.
DEVICE_PRECISIONS = ("fp32", "fp64", "bf16", "bf16x2", "bf16x3")
HOST_PRECISIONS = ("fp64", "mixed")
# The precision of df_mp2_energy on the host whose products are in single precision.
MIXED = "mixed"
# Passed to the library in place of a precision that was not named, for arrays of integers.
INTEGERS = "integers"
