#if canImport(CJemalloc)
    import CJemalloc

    /// The allocator of this process, which is jemalloc since it is linked in.
    enum Allocator {
        static var name: String {
            var version: UnsafePointer<CChar>?
            var size = MemoryLayout.size(ofValue: version)
            guard mallctl("version", &version, &size, nil, 0) == 0, let version else {
                return "jemalloc"
            }
            // "5.3.0-0-g" and a commit.
            return "jemalloc \(String(cString: version).prefix { $0 != "-" })"
        }

        /// Bytes allocated and not freed, of all threads, in whole blocks: a large one has up to a quarter more than was asked
        /// for. For ``Metric/liveMemory`` take the difference of two. About 30 µs.
        static func liveBytes() -> Int {
            var epoch: UInt64 = 1
            mallctl("epoch", nil, nil, &epoch, MemoryLayout.size(ofValue: epoch))
            // What threads have freed and keep for their next use counts as allocated until then; 4096 is
            // MALLCTL_ARENAS_ALL.
            return Int(figure("stats.allocated") - figure("stats.arenas.4096.tcache_bytes"))
        }

        /// Allocations requested so far, by all threads. Exact only in a process that was started
        /// with ``countingSettings``: a thread's cache tells of its requests late.
        static func allocationCount() -> Int64 {
            var epoch: UInt64 = 1
            mallctl("epoch", nil, nil, &epoch, MemoryLayout.size(ofValue: epoch))
            return figure("stats.arenas.4096.small.nrequests")
                + figure("stats.arenas.4096.large.nrequests")
        }

        /// One of jemalloc's figures, as of the last epoch. Allocates nothing itself.
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
    /// The allocator of a build under a sanitizer, which measures nothing: the sanitizer's own, which does not count.
    enum Allocator {
        static let name = "sanitizer"
        static func liveBytes() -> Int { 0 }
        static func allocationCount() -> Int64 { 0 }
    }
#endif

extension Allocator {
    /// What jemalloc reads from the environment when a worker counts: no caches of threads.
    static let countingSettings = ["MALLOC_CONF": "tcache:false"]
}
