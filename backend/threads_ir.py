"""LLVM IR of the thread pool: pthreads, one job at a time, dynamic distribution of tasks.

`state` holds open seats (high half) and workers inside the job (low half). The caller opens a
job by storing seats; a worker takes a seat by compare-and-swap (the seat's number is its thread
number) and only then reads the job. Whoever finds no task left takes the remaining seats away,
and the caller returns when nobody is inside. A worker that wakes late sees no seat and never
touches a finished job.

A worker without a seat spins for at most 50 us and then sleeps on a condition variable. Sleeper
and caller each write (`sleepers`, `state`) before they read the other's word, in sequentially
consistent order, so that no wake-up is lost. The caller waits the same way; while it sleeps, it
asks the context's poll function every 20 ms.

A fork is noticed by the number of the process, at the first job in the child.
"""

from __future__ import annotations

_TEXT = """\
@state = internal global i64 0, align 64
@next = internal global i64 0, align 64
@busy = internal global i32 0, align 64
@status = internal global i32 0
@body = internal global ptr null
@data = internal global ptr null
@tasks = internal global i64 0
@sleepers = internal global i64 0, align 64
@waiting = internal global i32 0
@workers = internal global i64 0
@owner = internal global i32 0
@mutex = internal global [128 x i8] zeroinitializer, align 16
@wake = internal global [128 x i8] zeroinitializer, align 16
@done = internal global [128 x i8] zeroinitializer, align 16
@lamina_threads = $LINKAGE global i64 1

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_timedwait(ptr, ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @clock_gettime(i32, ptr)
declare i32 @getpid()

; nanoseconds of clock %id (0 the wall clock, 1 the monotonic one)
define internal i64 @now(i32 %id) {
  %ts = alloca [2 x i64], align 8
  %r = call i32 @clock_gettime(i32 %id, ptr %ts)
  %s = load i64, ptr %ts
  %np = getelementptr i64, ptr %ts, i64 1
  %n = load i64, ptr %np
  %s9 = mul i64 %s, 1000000000
  %t = add i64 %s9, %n
  ret i64 %t
}

; one breath of a spinning thread, about a microsecond: 1 when its 50 us are over
define internal i1 @spin(i64 %start) {
entry:
  br label %pause
pause:
  %i = phi i64 [ 0, %entry ], [ %i1, %pause ]
  $PAUSE
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 16
  br i1 %more, label %pause, label %clock
clock:
  %t = call i64 @now(i32 1)
  %d = sub i64 %t, %start
  %over = icmp ugt i64 %d, 50000
  ret i1 %over
}

; poll(ctx), or 0 when the context has none
define internal i32 @poll(ptr %ctx) {
  %pp = getelementptr i64, ptr %ctx, i64 3
  %poll = load ptr, ptr %pp
  %none = icmp eq ptr %poll, null
  br i1 %none, label %no, label %yes
no:
  ret i32 0
yes:
  %r = call i32 %poll(ptr %ctx)
  ret i32 %r
}

; run tasks of the counter %next until none is left or one fails; %status keeps the first failure
; (thread 0 polls between tasks when 10 ms have passed)
define internal void @work(ptr %ctx, ptr %next, ptr %status, ptr %body, ptr %data, i64 %tasks,
                           i64 %thread) {
entry:
  %zero = icmp eq i64 %thread, 0
  %t0 = call i64 @now(i32 1)
  br label %loop
loop:
  %last = phi i64 [ %t0, %entry ], [ %last, %after ], [ %last, %look ], [ %t, %polled ]
  %task = atomicrmw add ptr %next, i64 1 monotonic
  %more = icmp slt i64 %task, %tasks
  br i1 %more, label %run, label %end
run:
  %r = call i32 %body(ptr %data, i64 %task, i64 %thread)
  %ok = icmp eq i32 %r, 0
  br i1 %ok, label %after, label %fail
after:
  br i1 %zero, label %look, label %loop
look:
  %t = call i64 @now(i32 1)
  %d = sub i64 %t, %last
  %due = icmp ugt i64 %d, 10000000
  br i1 %due, label %polled, label %loop
polled:
  %p = call i32 @poll(ptr %ctx)
  %go = icmp eq i32 %p, 0
  br i1 %go, label %loop, label %fail
fail:
  %s = phi i32 [ %r, %run ], [ %p, %polled ]
  call void @fail(ptr %next, ptr %status, i64 %tasks, i32 %s)
  ret void
end:
  ret void
}

; keep the first failure and leave no task to take
define internal void @fail(ptr %next, ptr %status, i64 %tasks, i32 %s) {
  %x = cmpxchg ptr %status, i32 0, i32 %s monotonic monotonic
  store atomic i64 %tasks, ptr %next monotonic, align 8
  ret void
}

; a worker's life
define internal ptr @worker(ptr %unused) {
entry:
  br label %idle
idle:
  %start = call i64 @now(i32 1)
  br label %look
look:
  %s = load atomic i64, ptr @state acquire, align 8
  %seat = lshr i64 %s, 32
  %none = icmp eq i64 %seat, 0
  br i1 %none, label %spin, label %take
spin:
  %over = call i1 @spin(i64 %start)
  br i1 %over, label %sleep, label %look
take:
  ; one seat fewer, one worker more: - 2^32 + 1
  %s1 = sub i64 %s, 4294967295
  %x = cmpxchg ptr @state, i64 %s, i64 %s1 seq_cst seq_cst
  %taken = extractvalue { i64, i1 } %x, 1
  br i1 %taken, label %job, label %look
job:
  %body = load ptr, ptr @body
  %data = load ptr, ptr @data
  %tasks = load i64, ptr @tasks
  call void @work(ptr null, ptr @next, ptr @status, ptr %body, ptr %data, i64 %tasks, i64 %seat)
  %closed = atomicrmw and ptr @state, i64 4294967295 seq_cst
  %left = atomicrmw sub ptr @state, i64 1 seq_cst
  %w = load atomic i32, ptr @waiting seq_cst, align 4
  %alone = icmp eq i32 %w, 0
  br i1 %alone, label %idle, label %tell
tell:
  call i32 @pthread_mutex_lock(ptr @mutex)
  call i32 @pthread_cond_signal(ptr @done)
  call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %idle
sleep:
  call i32 @pthread_mutex_lock(ptr @mutex)
  %more = atomicrmw add ptr @sleepers, i64 1 seq_cst
  br label %check
check:
  %c = load atomic i64, ptr @state seq_cst, align 8
  %open = icmp ugt i64 %c, 4294967295
  br i1 %open, label %woken, label %wait
wait:
  call i32 @pthread_cond_wait(ptr @wake, ptr @mutex)
  br label %check
woken:
  %fewer = atomicrmw sub ptr @sleepers, i64 1 seq_cst
  call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %idle
}

; make workers until there are %n (the caller owns the pool): how many there are. A new thread
; blocks all signals, so that they interrupt the thread that Python expects
define internal i64 @hire(i64 %n) {
entry:
  %thread = alloca i64
  %all = alloca [16 x i64]
  %old = alloca [16 x i64]
  %first = load i64, ptr @workers
  %enough = icmp uge i64 %first, %n
  br i1 %enough, label %have, label %start
have:
  ret i64 %first
start:
  call i32 @sigfillset(ptr %all)
  call i32 @pthread_sigmask(i32 2, ptr %all, ptr %old)
  br label %loop
loop:
  %k = phi i64 [ %first, %start ], [ %k1, %made ]
  %full = icmp uge i64 %k, %n
  br i1 %full, label %end, label %make
make:
  %r = call i32 @pthread_create(ptr %thread, ptr null, ptr @worker, ptr null)
  %ok = icmp eq i32 %r, 0
  br i1 %ok, label %made, label %end
made:
  %id = load ptr, ptr %thread
  call i32 @pthread_detach(ptr %id)
  %k1 = add i64 %k, 1
  br label %loop
end:
  store i64 %k, ptr @workers
  call i32 @pthread_sigmask(i32 2, ptr %old, ptr null)
  ret i64 %k
}

; wake as many sleepers as the job has seats beyond the workers that are awake
define internal void @rouse(i64 %seats) {
entry:
  %asleep = load atomic i64, ptr @sleepers seq_cst, align 8
  %workers = load i64, ptr @workers
  %awake = sub i64 %workers, %asleep
  %n = sub i64 %seats, %awake
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %lock, label %end
lock:
  call i32 @pthread_mutex_lock(ptr @mutex)
  br label %loop
loop:
  %k = phi i64 [ 0, %lock ], [ %k1, %loop ]
  call i32 @pthread_cond_signal(ptr @wake)
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %n
  br i1 %more, label %loop, label %unlock
unlock:
  call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %end
end:
  ret void
}

; take the open seats away and wait until nobody is inside
define internal void @join(ptr %ctx) {
entry:
  %until = alloca [2 x i64], align 8
  %closed = atomicrmw and ptr @state, i64 4294967295 seq_cst
  %start = call i64 @now(i32 1)
  br label %look
look:
  %s = load atomic i64, ptr @state acquire, align 8
  %empty = icmp eq i64 %s, 0
  br i1 %empty, label %end, label %spin
spin:
  %over = call i1 @spin(i64 %start)
  br i1 %over, label %sleep, label %look
sleep:
  call i32 @pthread_mutex_lock(ptr @mutex)
  store atomic i32 1, ptr @waiting seq_cst, align 4
  br label %check
check:
  %c = load atomic i64, ptr @state seq_cst, align 8
  %gone = icmp eq i64 %c, 0
  br i1 %gone, label %woken, label %wait
wait:
  %t = call i64 @now(i32 0)
  %t20 = add i64 %t, 20000000
  %sec = udiv i64 %t20, 1000000000
  %nsec = urem i64 %t20, 1000000000
  store i64 %sec, ptr %until
  %np = getelementptr i64, ptr %until, i64 1
  store i64 %nsec, ptr %np
  %r = call i32 @pthread_cond_timedwait(ptr @done, ptr @mutex, ptr %until)
  %told = icmp eq i32 %r, 0
  br i1 %told, label %check, label %ask
ask:
  call i32 @pthread_mutex_unlock(ptr @mutex)
  %p = call i32 @poll(ptr %ctx)
  %go = icmp eq i32 %p, 0
  br i1 %go, label %again, label %stop
stop:
  %tasks = load i64, ptr @tasks
  call void @fail(ptr @next, ptr @status, i64 %tasks, i32 %p)
  br label %again
again:
  call i32 @pthread_mutex_lock(ptr @mutex)
  br label %check
woken:
  store atomic i32 0, ptr @waiting seq_cst, align 4
  call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %end
end:
  ret void
}

; a forked child has no workers, and whatever another thread of its parent held is free
define internal void @reset() {
  call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  call i32 @pthread_cond_init(ptr @wake, ptr null)
  call i32 @pthread_cond_init(ptr @done, ptr null)
  store i64 0, ptr @sleepers
  store i32 0, ptr @waiting
  store i64 0, ptr @workers
  store atomic i64 0, ptr @state seq_cst, align 8
  store atomic i32 0, ptr @busy seq_cst, align 4
  ret void
}

; 1 when the pool is this process's. After a fork, one thread of the child puts it in order;
; the others work without it meanwhile
define internal i1 @own() {
  %pid = call i32 @getpid()
  %owner = load atomic i32, ptr @owner acquire, align 4
  %same = icmp eq i32 %owner, %pid
  br i1 %same, label %yes, label %other
yes:
  ret i1 1
other:
  %changing = icmp eq i32 %owner, -1
  br i1 %changing, label %no, label %claim
no:
  ret i1 0
claim:
  %x = cmpxchg ptr @owner, i32 %owner, i32 -1 seq_cst seq_cst
  %mine = extractvalue { i32, i1 } %x, 1
  br i1 %mine, label %reset, label %no
reset:
  call void @reset()
  store atomic i32 %pid, ptr @owner release, align 4
  ret i1 1
}

define $LINKAGE i32 @lamina_parallel(ptr %ctx, ptr %body, ptr %data, i64 %tasks) {
entry:
  %next = alloca i64
  %status = alloca i32
  %lp = getelementptr i64, ptr %ctx, i64 7
  %limit = load i64, ptr %lp
  %n = call i64 @llvm.smin.i64(i64 %limit, i64 %tasks)
  %one = icmp slt i64 %n, 2
  br i1 %one, label %serial, label %mine
mine:
  %own = call i1 @own()
  br i1 %own, label %try, label %serial
try:
  %x = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %free = extractvalue { i32, i1 } %x, 1
  br i1 %free, label %hire, label %serial
hire:
  %want = sub i64 %n, 1
  %have = call i64 @hire(i64 %want)
  %seats = call i64 @llvm.smin.i64(i64 %want, i64 %have)
  %alone = icmp eq i64 %seats, 0
  br i1 %alone, label %release, label %open
release:
  store atomic i32 0, ptr @busy release, align 4
  br label %serial
open:
  store ptr %body, ptr @body
  store ptr %data, ptr @data
  store i64 %tasks, ptr @tasks
  store atomic i64 0, ptr @next monotonic, align 8
  store atomic i32 0, ptr @status monotonic, align 4
  %word = shl i64 %seats, 32
  store atomic i64 %word, ptr @state seq_cst, align 8
  call void @rouse(i64 %seats)
  call void @work(ptr %ctx, ptr @next, ptr @status, ptr %body, ptr %data, i64 %tasks, i64 0)
  call void @join(ptr %ctx)
  %result = load atomic i32, ptr @status monotonic, align 4
  store atomic i32 0, ptr @busy release, align 4
  ret i32 %result
serial:
  store i64 0, ptr %next
  store i32 0, ptr %status
  call void @work(ptr %ctx, ptr %next, ptr %status, ptr %body, ptr %data, i64 %tasks, i64 0)
  %r = load i32, ptr %status
  ret i32 %r
}
declare i64 @llvm.smin.i64(i64, i64)
"""

_PAUSE = {
    "x86_64": ("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
    "aarch64": ("call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"),
}


def pool_text(triple: str, *, private: bool = False) -> str:
    """The pool as LLVM IR text for `triple`.

    private: every symbol is internal to the module that the text is put in (an exported library
    has a pool of its own). Otherwise `lamina_parallel` and the word `lamina_threads` are
    external.
    """
    pause, declaration = _PAUSE.get(triple.split("-", 1)[0], ("", ""))
    text = _TEXT.replace("$PAUSE", pause).replace("$LINKAGE ", "internal " if private else "")
    return f"{text}{declaration}\n"
