import Foundation

/// What the operating system reports about this process without privileges.
///
/// A figure that is unavailable (no `/proc`, no permission) is `nil`, never 0.
public enum ProcessProbe {
    /// The totals since the process began. Takes about 25 µs: read it around a sample, not an
    /// operation.
    public static func usage() -> ProcessUsage {
        let usage = resourceUsage()
        return ProcessUsage(
            cpuSeconds: cpuSeconds(of: usage),
            voluntarySwitches: Int64(usage.ru_nvcsw),
            involuntarySwitches: Int64(usage.ru_nivcsw),
            writtenBytes: number(after: "wchar:", in: "/proc/self/io").map { Int64($0) })
    }

    /// The processor time that the system reports of a process.
    public static func cpuSeconds(of usage: rusage) -> Double {
        seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The processor time of all threads of this process. Takes about 1 µs.
    public static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time of the main thread; `nil` if the system does not report it. Source:
    /// Linux, Documentation/scheduler/sched-stats.rst, `schedstat` of a task.
    public static func mainThreadSeconds() -> Double? {
        let path = "/proc/self/task/\(getpid())/schedstat"
        let nanoseconds = SystemFile.text(of: path)?.split(separator: " ").first
        return nanoseconds.flatMap { Double($0) }.map { $0 / 1e9 }
    }

    /// The bytes that are resident now.
    public static func residentBytes() -> UInt64? {
        let fields = SystemFile.text(of: "/proc/self/statm")?.split(separator: " ")
        guard let fields, fields.count > 1, let pages = UInt64(fields[1]) else { return nil }
        return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The highest number of resident bytes since ``resetPeak()``, or since the process began.
    public static func peakResidentBytes() -> UInt64? {
        if let kibibytes = number(after: "VmHWM:", in: "/proc/self/status") {
            return kibibytes * 1024
        }
        let peak = UInt64(resourceUsage().ru_maxrss)
        #if os(Linux)
        return peak * 1024
        #else
        return peak
        #endif
    }

    /// Sets the peak to the bytes that are resident now. Returns `false` if the system does not
    /// allow it; the peak then covers the whole life of the process. Source:
    /// proc_pid_clear_refs(5), value 5.
    public static func resetPeak() -> Bool {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return false }
        let isWritten = fputs("5", file) >= 0
        return fclose(file) == 0 && isWritten
    }

    private static func resourceUsage() -> rusage {
        #if os(Linux)
        let ourselves = Int32(RUSAGE_SELF.rawValue)
        #else
        let ourselves = RUSAGE_SELF
        #endif
        var usage = rusage()
        // It fails only with a wrong argument (getrusage(2)).
        getrusage(ourselves, &usage)
        return usage
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    private static func number(after key: String, in path: String) -> UInt64? {
        let line = SystemFile.text(of: path)?.split(separator: "\n").first { $0.hasPrefix(key) }
        let digits = line?.dropFirst(key.count).split(whereSeparator: \.isWhitespace).first
        return digits.flatMap { UInt64($0) }
    }
}

/// Totals of the process at one moment. Subtract two of them to get what happened in between.
public struct ProcessUsage: Hashable, Sendable {
    /// Processor time of all threads, in user and system mode.
    public var cpuSeconds: Double
    /// How often a thread gave up the processor to wait.
    public var voluntarySwitches: Int64
    /// How often the scheduler took the processor from a thread.
    public var involuntarySwitches: Int64
    /// The bytes that the process has passed to system calls that write, to files on a disk or in
    /// memory and to sockets; `nil` if the system does not report it. Source: proc_pid_io(5),
    /// `wchar`.
    public var writtenBytes: Int64?

    public static func - (end: ProcessUsage, start: ProcessUsage) -> ProcessUsage {
        var written: Int64?
        if let last = end.writtenBytes, let first = start.writtenBytes { written = last - first }
        return ProcessUsage(
            cpuSeconds: end.cpuSeconds - start.cpuSeconds,
            voluntarySwitches: end.voluntarySwitches - start.voluntarySwitches,
            involuntarySwitches: end.involuntarySwitches - start.involuntarySwitches,
            writtenBytes: written)
    }
}
