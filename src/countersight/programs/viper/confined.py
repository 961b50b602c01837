"""A script that starts an interpreter in confinement: it confines its own process, then executes the interpreter.

    python -I -S confined.py DATA_BYTES CPU_SECONDS INTERPRETER [ARGUMENT…]
    python -I -S confined.py DATA_BYTES CPU_SECONDS

The second form confines itself, tries forbidden actions, and prints the layers of protection that work. The script
imports no other module of the package, so it starts in a few milliseconds. Unsupported layers are skipped.
"""

import contextlib
import ctypes
import os
import resource
import sys

NO_NEW_PRIVILEGES, SET_FILTER, FILTER_MODE = 38, 22, 2
"""Constants of prctl(2)."""
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls of landlock(7), the same on every architecture."""
EXECUTE_FILE, READ_FILE, PATH_RULE = 1, 4, 1
LIBRARIES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1")
"""Libraries that an interpreter may be linked with."""
MOST_FILES = 32
FURTHER_ADDRESSES = 256 * 1024 * 1024
"""Address space for the interpreter's own code and for memory that its allocator reserves but does not use."""
ALLOW, WITH_ERROR = 0x7FFF0000, 0x00050000
PERMISSION, NO_SUCH_CALL = 1, 38
"""EPERM, and ENOSYS, which makes the C library try the older call."""
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
"""Offsets in the data that a filter inspects."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
THREAD = 0x10000

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = {
    # memory
    **{"brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226)},
    **{"madvise": (28, 233), "membarrier": (324, 283)},
    # open files, and waiting for them
    **{"read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67)},
    **{"lseek": (8, 62), "close": (3, 57), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "fcntl": (72, 25)},
    **{"poll": (7, None), "ppoll": (271, 73), "pipe2": (293, 59), "eventfd2": (290, 19)},
    **{"epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, None), "epoll_pwait": (281, 22)},
    # finding the libraries that the interpreter is linked with
    **{"stat": (4, None), "fstat": (5, 80), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291)},
    **{"access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "readlink": (89, None)},
    **{"readlinkat": (267, 78), "getcwd": (79, 17)},
    # its own threads and signals
    **{"futex": (202, 98), "set_tid_address": (218, 96), "set_robust_list": (273, 99), "rseq": (334, 293)},
    **{"exit": (60, 93), "exit_group": (231, 94), "gettid": (186, 178), "getpid": (39, 172), "prctl": (157, 167)},
    **{"rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132)},
    **{"sched_yield": (24, 124), "sched_getaffinity": (204, 123), "arch_prctl": (158, None)},
    # time and random numbers
    **{"clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "nanosleep": (35, 101)},
    **{"gettimeofday": (96, 169), "getrandom": (318, 278), "uname": (63, 160), "sysinfo": (99, 179)},
}
"""The system calls an interpreter needs, with their numbers on x86-64 and on aarch64; all others are refused.

Some more are allowed in part: `openat` for reading, `clone` for threads, `prlimit64` for reading limits, `execve` once.
"""
OPEN, CLONE, CLONE3, LIMITS, EXECUTE = (257, 56), (56, 220), (435, 435), (302, 261), (59, 221)

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def main(data: int, seconds: int, command: list[str]) -> None:
    """Confine this process and execute the interpreter in it."""
    path = ctypes.create_string_buffer(os.fsencode(command[0]))
    arguments = (ctypes.c_char_p * (len(command) + 1))(*map(os.fsencode, command), None)
    environment = (ctypes.c_char_p * 1)(None)
    detach()
    library = confine(data, seconds, command[0], ctypes.addressof(path))
    library.execve(path, arguments, environment)
    sys.exit(127)  # execve failed; the caller continues without confinement


def report(data: int, seconds: int) -> None:
    """Confine this process, test each layer, and print the layers that work."""
    library = confine(data, seconds, "", 0)
    held = []
    try:
        os.close(os.open(__file__, os.O_RDONLY))
    except PermissionError:
        held.append("landlock")
    if library.socket(1, 1, 0) < 0:
        held.append("seccomp")
    if resource.getrlimit(resource.RLIMIT_DATA)[1] == data:
        held.append("rlimits")
    print(*held)


def confine(data: int, seconds: int, interpreter: str, path: int) -> ctypes.CDLL:
    """Apply every layer that the system supports; a missing one is not an error here."""
    library = ctypes.CDLL(None)
    limit(data, seconds)
    with contextlib.suppress(Exception):
        refuse_files(library, interpreter)
    with contextlib.suppress(Exception):
        refuse_calls(library, path)
    return library


def detach() -> None:
    """Detach from the terminal, so that Ctrl-C is not received; close all files and discard error output."""
    with contextlib.suppress(OSError):
        os.setsid()
    os.closerange(3, 65536)
    with contextlib.suppress(OSError):
        nobody = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nobody, 2)
        os.close(nobody)


def limit(data: int, seconds: int) -> None:
    """Set system limits for memory, time and open files, and forbid writing to files."""
    for which, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, MOST_FILES),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_DATA, data),
        (resource.RLIMIT_AS, data + FURTHER_ADDRESSES),
    ):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(which, (most, most))


def refuse_files(library: ctypes.CDLL, interpreter: str) -> None:
    """Make the kernel refuse access to all files except the interpreter and its libraries.

    This closes /proc too, and with it the environment of the parent process. If the kernel supports it, connections and
    signals are refused as well.
    """
    for name in LIBRARIES:
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        mapped = {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}
    version = library.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1 or library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return
    files = (1 << (13, 14, 15, 15, 16)[min(version, 5) - 1]) - 1
    asked = (ctypes.c_uint64 * 3)(files, 3, 3)  # files; TCP; abstract sockets and signals
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = library.syscall(CREATE_RULESET, asked, ctypes.c_size_t(size), 0)
    for name in {interpreter, "/etc/ld.so.cache", *mapped}:
        with contextlib.suppress(OSError):
            file = os.open(name, os.O_PATH)
            allowed = (EXECUTE_FILE | READ_FILE).to_bytes(8, sys.byteorder) + file.to_bytes(4, sys.byteorder)
            library.syscall(ADD_RULE, ruleset, PATH_RULE, allowed, 0)
            os.close(file)
    library.syscall(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def refuse_calls(library: ctypes.CDLL, path: int) -> None:
    """Make the kernel refuse all system calls except those listed, permanently."""
    machine = os.uname().machine
    if machine not in ARCHITECTURES or library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return
    made = filter_of(machine, path)
    code = b"".join(
        kind.to_bytes(2, sys.byteorder) + bytes((yes, no)) + k.to_bytes(4, sys.byteorder) for kind, yes, no, k in made
    )
    held = ctypes.create_string_buffer(code, len(code))
    library.prctl(SET_FILTER, FILTER_MODE, ctypes.byref(_Program(len(made), ctypes.addressof(held))), 0, 0)


def filter_of(machine: str, path: int) -> list[Instruction]:
    """Return the system-call filter, which inspects the number of a call and for some calls the arguments.

    `execve` is allowed only if the address of its path is `path`; the interpreter that replaces this process has other
    addresses.
    """
    nth = list(ARCHITECTURES).index(machine)
    made: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, WITH_ERROR | PERMISSION),
        (LOAD, 0, 0, NUMBER),
    ]
    for numbers in CALLS.values():
        if (number := numbers[nth]) is not None:
            made += _if_number(number, [(RETURN, 0, 0, ALLOW)])
    made += _if_number(OPEN[nth], _allowed_unless(ANY_BIT, 2, WRITING))
    made += _if_number(CLONE[nth], [(LOAD, 0, 0, ARGUMENTS), (ANY_BIT, 0, 1, THREAD), (RETURN, 0, 0, ALLOW), _REFUSED])
    made += _if_number(CLONE3[nth], [(RETURN, 0, 0, WITH_ERROR | NO_SUCH_CALL)])
    made += _if_number(LIMITS[nth], _allowed_if_equal(2, 0))
    made += _if_number(EXECUTE[nth], _allowed_if_equal(0, path))
    return [*made, _REFUSED]


_REFUSED: Instruction = (RETURN, 0, 0, WITH_ERROR | PERMISSION)


def _if_number(number: int, then: list[Instruction]) -> list[Instruction]:
    return [(EQUAL, 0, len(then), number), *then]


def _allowed_unless(test: int, argument: int, value: int) -> list[Instruction]:
    return [(LOAD, 0, 0, ARGUMENTS + 8 * argument), (test, 1, 0, value), (RETURN, 0, 0, ALLOW), _REFUSED]


def _allowed_if_equal(argument: int, value: int) -> list[Instruction]:
    """Return instructions that allow a call if an argument (stored lower half first) has this value."""
    low, high = ARGUMENTS + 8 * argument, ARGUMENTS + 8 * argument + 4
    return [
        (LOAD, 0, 0, low),
        (EQUAL, 0, 3, value & 0xFFFFFFFF),
        (LOAD, 0, 0, high),
        (EQUAL, 0, 1, value >> 32),
        (RETURN, 0, 0, ALLOW),
        _REFUSED,
    ]


if __name__ == "__main__":
    bounds = int(sys.argv[1]), int(sys.argv[2])
    main(*bounds, sys.argv[3:]) if sys.argv[3:] else report(*bounds)
