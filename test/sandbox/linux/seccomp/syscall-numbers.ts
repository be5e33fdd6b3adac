/**
 * Numbers of system calls on x64 and arm64, as the kernel's headers have them.
 *
 * Written down apart from the table in `src`, so that a wrong number there is found.
 */
const DENIED = `
acct 163 89
add_key 248 217
adjtimex 159 171
bpf 321 280
chmod 90 -
chroot 161 51
clock_adjtime 305 266
clock_settime 227 112
clone 56 220
clone3 435 435
creat 85 -
delete_module 176 106
fchmod 91 52
fchmodat 268 53
fchmodat2 452 452
fcntl 72 25
finit_module 313 273
fsconfig 431 431
fsmount 432 432
fsopen 430 430
fspick 433 433
init_module 175 105
open 2 -
openat 257 56
openat2 437 437
io_setup 206 0
fanotify_init 300 262
io_uring_enter 426 426
io_uring_register 427 427
io_uring_setup 425 425
ioctl 16 29
ioperm 173 -
iopl 172 -
kcmp 312 272
kexec_file_load 320 294
kexec_load 246 104
keyctl 250 219
listmount 458 458
listns 470 470
lookup_dcookie 212 18
memfd_secret 447 447
mknod 133 -
mknodat 259 33
mount 165 40
mount_setattr 442 442
move_mount 429 429
name_to_handle_at 303 264
nfsservctl 180 42
open_by_handle_at 304 265
open_tree 428 428
open_tree_attr 467 467
perf_event_open 298 241
personality 135 92
pidfd_getfd 438 438
pivot_root 155 41
prlimit64 302 261
process_madvise 440 440
process_vm_readv 310 270
process_vm_writev 311 271
ptrace 101 117
quotactl 179 60
quotactl_fd 443 443
reboot 169 142
request_key 249 218
seccomp 317 277
setdomainname 171 162
sethostname 170 161
setns 308 268
setrlimit 160 164
settimeofday 164 170
statmount 457 457
swapoff 168 225
swapon 167 224
syslog 103 116
umount2 166 39
unshare 272 97
userfaultfd 323 282
vhangup 153 58
`;

const ALLOWED = `
accept4 288 242
arch_prctl 158 -
bind 49 200
brk 12 214
chdir 80 49
clock_gettime 228 113
clock_nanosleep 230 115
close 3 57
close_range 436 436
connect 42 203
copy_file_range 326 285
dup3 292 24
epoll_create1 291 20
epoll_ctl 233 21
epoll_pwait 281 22
eventfd2 290 19
execve 59 221
execveat 322 281
exit_group 231 94
faccessat2 439 439
flock 73 32
fork 57 -
fstat 5 80
futex 202 98
futex_waitv 449 449
getcwd 79 17
getdents64 217 61
getpeername 52 205
getpid 39 172
getpriority 140 141
getrandom 318 278
getrlimit 97 163
getsockname 51 204
getsockopt 55 209
gettid 186 178
getuid 102 174
inotify_add_watch 254 27
inotify_init1 294 26
io_submit 209 2
kill 62 129
landlock_add_rule 445 445
landlock_create_ruleset 444 444
landlock_restrict_self 446 446
linkat 265 37
listen 50 201
madvise 28 233
membarrier 324 283
memfd_create 319 279
mkdirat 258 34
mlock 149 228
mmap 9 222
mprotect 10 226
mq_open 240 180
mremap 25 216
msgsnd 69 189
munmap 11 215
nanosleep 35 101
pidfd_open 434 434
pidfd_send_signal 424 424
pipe2 293 59
prctl 157 167
process_mrelease 448 448
read 0 63
readlinkat 267 78
recvfrom 45 207
recvmsg 47 212
renameat2 316 276
rseq 334 293
rt_sigaction 13 134
rt_sigprocmask 14 135
sched_getaffinity 204 123
sched_setaffinity 203 122
sched_setscheduler 144 119
sched_yield 24 124
semop 65 193
sendfile 40 71
sendmsg 46 211
sendto 44 206
set_robust_list 273 99
setpgid 109 154
setpriority 141 140
setsid 112 157
setsockopt 54 208
setuid 105 146
shmget 29 194
shutdown 48 210
signalfd4 289 74
splice 275 76
statx 332 291
symlinkat 266 36
sysinfo 99 179
tgkill 234 131
timerfd_create 283 85
times 100 153
umask 95 166
uname 63 160
unlinkat 263 35
utimensat 280 88
vfork 58 -
wait4 61 260
waitid 247 95
write 1 64
`;

/** Calls a filter refuses, always or for some arguments. */
export const deniedNumbers = read(DENIED);

/** Calls that programs need, by what they do: files, processes, threads, memory, time, sockets. */
export const allowedNumbers = read(ALLOWED);

function read(text: string): { name: string; x64?: number; arm64?: number }[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", x64, arm64] = line.split(" ");
      return {
        name,
        ...(x64 !== "-" && { x64: Number(x64) }),
        ...(arm64 !== "-" && { arm64: Number(arm64) }),
      };
    });
}
