import Foundation

/// What the operating system tells about this process, without privileges.
///
/// Where a figure cannot be had (no `/proc`, no permission) it is nil, never 0.
public enum ProcessProbe {
    /// The totals since the process began. About 25 µs: read it around a sample, not an operation.
    public static func usage() -> ProcessUsage {
        let usage = resourceUsage()
        return ProcessUsage(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            voluntarySwitches: Int64(usage.ru_nvcsw),
            involuntarySwitches: Int64(usage.ru_nivcsw),
            writtenBytes: number(after: "write_bytes:", in: "/proc/self/io").map { Int64($0) })
    }

    /// Time on a processor, of all threads of this process. About 1 µs.
    public static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The bytes now in memory.
    public static func residentBytes() -> UInt64? {
        let fields = text(of: "/proc/self/statm")?.split(separator: " ")
        guard let fields, fields.count > 1, let pages = UInt64(fields[1]) else { return nil }
        return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The most bytes that were in memory since ``resetPeak()``, or since the process began.
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

    /// Sets the peak to what is in memory now; false where the system does not let us, and the peak
    /// is then that of the whole life of the process. Source: proc_pid_clear_refs(5), value 5.
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
        // It fails only for a wrong argument (getrusage(2)).
        getrusage(ourselves, &usage)
        return usage
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    private static func number(after key: String, in path: String) -> UInt64? {
        let line = text(of: path)?.split(separator: "\n").first { $0.hasPrefix(key) }
        let digits = line?.dropFirst(key.count).split(whereSeparator: \.isWhitespace).first
        return digits.flatMap { UInt64($0) }
    }
}

/// Totals of the process at one moment; the difference of two is what happened between them.
public struct ProcessUsage: Hashable, Sendable {
    /// Time on a processor, of all threads, in user and system mode.
    public var cpuSeconds: Double
    /// How often a thread waited.
    public var voluntarySwitches: Int64
    /// How often a thread was made to wait.
    public var involuntarySwitches: Int64
    /// Bytes sent towards the disk, page cache included; nil where the system does not tell.
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
