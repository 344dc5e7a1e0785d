import CScheduler
import Foundation

/// Moves processes to processor cores. A process that cannot be moved stays where it is; its times
/// are noisier, but not wrong.
enum ProcessorCore {
    /// The cores that this process may use.
    static let available: [Int] = {
        var set = cpu_set_t()
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return [] }
        return withUnsafeBytes(of: &set) { bytes in
            (0..<bytes.count * 8).filter { bytes[$0 / 8] >> ($0 % 8) & 1 == 1 }
        }
    }()

    /// Moves all threads of a process to one core; threads that they start later inherit it.
    static func move(process: pid_t, to core: Int) {
        let folder = "/proc/\(process)/task"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var set = cpu_set_t()
        // Sets a bit, like the macro CPU_SET of sched.h.
        withUnsafeMutableBytes(of: &set) { $0[core / 8] |= 1 << UInt8(core % 8) }
        for thread in names.compactMap({ pid_t($0) }) {
            sched_setaffinity(thread, MemoryLayout<cpu_set_t>.size, &set)
        }
    }
}
