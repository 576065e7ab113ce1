"""System calls by purpose; `sandbox.filters` permits them to some processes."""

# System calls of the interpreter and of torch on a CPU: reading files, memory, time, waiting and
# threads. Memory that is both writable and executable stays permitted: oneDNN generates its kernels
# for convolutions and bfloat16 in such pages, and fails without them.
ALLOWED = """
    read pread64 readv preadv preadv2 write writev pwrite64 pwritev close lseek fstat stat lstat
    newfstatat statx access faccessat faccessat2 readlink readlinkat getcwd getdents64 fstatfs
    dup dup2 dup3 pipe2 poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait
    eventfd2 fadvise64
    brk mprotect mremap munmap membarrier rseq
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack
    alarm setitimer getitimer pause restart_syscall
    futex set_robust_list get_robust_list set_tid_address gettid arch_prctl exit exit_group
    sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max
    sched_get_priority_min getcpu
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrandom
    getpid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid
    getsid getrlimit getrusage uname sysinfo umask
    recvfrom recvmsg sendto sendmsg shutdown getsockopt
""".split()

# Writing files in the one directory in which Landlock permits it.
WRITING = """
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 truncate ftruncate fallocate
    fsync fdatasync flock chdir fchdir utimensat chmod fchmod fchmodat copy_file_range sendfile
    sync_file_range
""".split()

# Starting other programs, as a compiler driver does for every step. From Python 3.13 on,
# `subprocess` uses posix_spawn, in which glibc closes descriptors only with close_range.
STARTING = """
    execve fork vfork wait4 pipe setsid setpgid close_range
""".split()

# A program with workers may wait for their end through a pidfd; of the calls with a pidfd only
# those that wait are permitted. Process 1 of the job also counts processes and open descriptors.
WATCHING = ("pidfd_open",)
COUNTING = (*WATCHING, "kcmp")

# The TCPStore of a process group tries io_uring and falls back; otherwise only attacks call it.
RING = ("io_uring_setup",)

# No library makes these calls in a job. They kill the job, so that the report is unambiguous.
HOSTILE = """
    ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_open pidfd_getfd
    pidfd_send_signal bpf perf_event_open userfaultfd keyctl add_key request_key mount umount2
    move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr pivot_root chroot unshare
    setns io_uring_setup io_uring_enter io_uring_register io_setup io_submit init_module
    finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff personality
    open_by_handle_at name_to_handle_at quotactl acct settimeofday clock_settime clock_adjtime
    adjtimex sethostname setdomainname iopl ioperm modify_ldt syslog vhangup lookup_dcookie
    fanotify_init move_pages migrate_pages memfd_secret execve execveat
""".split()

# TCP sockets of a process group, in a network namespace that has only a loopback.
NETWORK = """
    connect bind listen accept accept4 getsockname getpeername setsockopt epoll_create
""".split()

# Calls of a program that starts workers with multiprocessing, waits for them and ends them. It
# reaches only processes of its own job, which has its own PID namespace.
WORKERS = """
    fork wait4 waitid kill tgkill setsid setpgid socketpair statfs link linkat
    connect bind listen accept accept4 getsockname getpeername setsockopt
""".split()
