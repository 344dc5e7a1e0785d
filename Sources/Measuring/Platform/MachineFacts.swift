import Foundation

/// What the system says about this machine; a fact that it does not report is nil.
///
/// Elsewhere: `sysctlbyname` has these on Apple's systems, but for the pressure and the governor.
public enum MachineFacts {
    public static var cpuModel: String? {
        field("model name", of: "/proc/cpuinfo", separator: ":")
    }

    public static var kernel: String? { SystemFile.text(of: "/proc/sys/kernel/osrelease") }

    public static var operatingSystem: String? {
        field("PRETTY_NAME", of: "/etc/os-release", separator: "=")
    }

    /// The load average of the last minute.
    public static var loadAverage: Double? {
        SystemFile.text(of: "/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
    }

    /// What chooses the frequency of the processor; virtual machines have none.
    public static var frequencyGovernor: String? {
        SystemFile.text(of: "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    }

    /// The percentage of the last 10 s in which a task waited for a processor. Source: the kernel's
    /// accounting/psi documentation.
    public static var processorPressurePercent: Double? {
        let fields = SystemFile.text(of: "/proc/pressure/cpu")?.split(separator: " ") ?? []
        let field = fields.first { $0.hasPrefix("avg10=") }
        return field.flatMap { Double($0.dropFirst("avg10=".count)) }
    }

    /// Whether no other thread of this process runs, or waits for a processor or the disk. Source:
    /// proc_pid_stat(5), the field after the name.
    public static var areOtherThreadsAsleep: Bool? {
        let folder = "/proc/self/task"
        guard let threads = try? FileManager.default.contentsOfDirectory(atPath: folder),
            !threads.isEmpty
        else { return nil }
        // A thread may have ended since.
        let states = threads.compactMap { thread in
            SystemFile.text(of: "\(folder)/\(thread)/stat")?
                .split(separator: ")").last?.split(separator: " ").first
        }
        guard !states.isEmpty else { return nil }
        // This thread runs.
        return states.count { $0 == "R" || $0 == "D" } <= 1
    }

    private static func field(_ key: String, of path: String, separator: Character) -> String? {
        guard let lines = SystemFile.text(of: path)?.split(separator: "\n") else { return nil }
        for line in lines where line.hasPrefix(key) {
            guard let mark = line.firstIndex(of: separator) else { continue }
            let value = line[line.index(after: mark)...]
            return value.trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
        }
        return nil
    }
}
