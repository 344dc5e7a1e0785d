import CScheduler
import Foundation

/// On which cores processes may run. A process that cannot be moved stays where it is: that makes
/// its times noisier and not wrong.
enum ProcessorCore {
    /// Those that we may use ourselves.
    static let available: [Int] = {
        var set = cpu_set_t()
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return [] }
        return withUnsafeBytes(of: &set) { bytes in
            (0..<bytes.count * 8).filter { bytes[$0 / 8] >> ($0 % 8) & 1 == 1 }
        }
    }()

    /// Moves every thread of a process, and all that they will start, to one core.
    static func move(process: pid_t, to core: Int) {
        let folder = "/proc/\(process)/task"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var set = cpu_set_t()
        // Bit by bit, as the macro CPU_SET of sched.h does.
        withUnsafeMutableBytes(of: &set) { $0[core / 8] |= 1 << UInt8(core % 8) }
        for thread in names.compactMap({ pid_t($0) }) {
            sched_setaffinity(thread, MemoryLayout<cpu_set_t>.size, &set)
        }
    }
}
