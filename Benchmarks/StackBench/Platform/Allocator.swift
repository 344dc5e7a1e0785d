#if canImport(CJemalloc)
import CJemalloc

/// The allocator of this process: jemalloc, which is linked in.
enum Allocator {
    static var name: String {
        var version: UnsafePointer<CChar>?
        var size = MemoryLayout.size(ofValue: version)
        guard mallctl("version", &version, &size, nil, 0) == 0, let version else {
            return "jemalloc"
        }
        // The version is "5.3.0-0-g" and a commit.
        return "jemalloc \(String(cString: version).prefix { $0 != "-" })"
    }

    /// Bytes allocated and not freed by all threads, in whole blocks: a large block may be a
    /// quarter larger than requested. For ``Metric/liveMemory`` take the difference of two
    /// calls. A call takes about 30 µs.
    static func liveBytes() -> Int {
        var epoch: UInt64 = 1
        mallctl("epoch", nil, nil, &epoch, MemoryLayout.size(ofValue: epoch))
        // Freed memory in the caches of threads counts as allocated, so it is subtracted; 4096
        // is MALLCTL_ARENAS_ALL.
        return Int(figure("stats.allocated") - figure("stats.arenas.4096.tcache_bytes"))
    }

    /// The number of allocations by all threads. Exact only in a process started with
    /// ``countingSettings``: caches of threads report their requests late.
    static func allocationCount() -> Int64 {
        var epoch: UInt64 = 1
        mallctl("epoch", nil, nil, &epoch, MemoryLayout.size(ofValue: epoch))
        return figure("stats.arenas.4096.small.nrequests")
            + figure("stats.arenas.4096.large.nrequests")
    }

    /// One of jemalloc's statistics, as of the last epoch. Does not allocate.
    private static func figure(_ name: StaticString) -> Int64 {
        var value: UInt64 = 0
        var size = MemoryLayout.size(ofValue: value)
        name.withUTF8Buffer { name in
            name.withMemoryRebound(to: CChar.self) { name in
                _ = mallctl(name.baseAddress, &value, &size, nil, 0)
            }
        }
        return Int64(value)
    }
}
#else
/// The allocator of a build under a sanitizer, which is never measured and cannot be counted.
enum Allocator {
    static let name = "sanitizer"
    static func liveBytes() -> Int { 0 }
    static func allocationCount() -> Int64 { 0 }
}
#endif

extension Allocator {
    /// The settings of a counting worker for jemalloc: no caches of threads.
    static let countingSettings = ["MALLOC_CONF": "tcache:false"]
}
