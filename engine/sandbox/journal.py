"""The flight recorder: what a run recorded so far, in memory that outlives it.

A run that is killed (it sleeps for ever, it sits in a huge ``pow``, it runs out of memory) must still show every step
up to that point (law 6). No handler can run inside it then, so each batch of steps is written down as it happens, into
memory shared with the host: no system call and no wake-up per step. The host looks only after the run has ended, and
only when it did not answer.

Layout: 8 bytes with the number of committed bytes, then entries, each 4 bytes of length and a JSON `Batch`. An entry
counts once the header says so, so an entry half written is as good as none.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import struct
import sys
import tempfile

import msgspec

from engine.trace.tape import Batch

_COMMITTED = struct.Struct("<Q")
_LENGTH = struct.Struct("<I")
START = _COMMITTED.size


def create(size: int) -> int:
    """Makes the memory and returns its descriptor; it is gone when the last descriptor and mapping are.

    On Linux it is sealed against resizing: a run that cut it short would crash the host that reads it.
    """
    if sys.platform != "linux":
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
        os.ftruncate(descriptor, size)
        return descriptor
    descriptor = os.memfd_create("journal", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor


class Writer:
    """The run's side. The descriptor may be closed once this is made."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._memory = _map(descriptor, size)
        self._end = START
        self._encoder = msgspec.json.Encoder()
        self._buffer = bytearray()
        self.full = False

    def write(self, batch: Batch) -> None:
        """Adds a batch. When there is no room left the journal ends there: a gap would break the references."""
        if self.full:
            return
        self._encoder.encode_into(batch, self._buffer, _LENGTH.size)
        _LENGTH.pack_into(self._buffer, 0, len(self._buffer) - _LENGTH.size)
        end = self._end + len(self._buffer)
        if end > len(self._memory):
            self.full = True
            return
        self._memory[self._end : end] = self._buffer
        _COMMITTED.pack_into(self._memory, 0, end)
        self._end = end


def read(descriptor: int, size: int) -> list[Batch]:
    """What a run left behind, for the host; to be called after the run's end.

    The bytes are the run's own and may be anything: reading stops at the first entry that is no batch.
    """
    with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as memory:
        (committed,) = _COMMITTED.unpack_from(memory, 0)
        content = memory[START : max(START, min(committed, size))]
    decoder = msgspec.json.Decoder(Batch)
    batches: list[Batch] = []
    position = 0
    while position + _LENGTH.size <= len(content):
        (length,) = _LENGTH.unpack_from(content, position)
        position += _LENGTH.size
        try:
            batches.append(decoder.decode(content[position : position + length]))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            break
        position += length
    return batches


def _map(descriptor: int, size: int) -> memoryview:
    """Maps without keeping a descriptor, which `mmap.mmap` does and a run's limit of open files forbids."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    ]  # fmt: skip
    address = library.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, descriptor, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        number = ctypes.get_errno()
        raise OSError(number, f"mmap of the journal: {os.strerror(number)}")
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")
