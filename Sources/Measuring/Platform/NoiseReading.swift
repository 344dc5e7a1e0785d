import Foundation

/// How noisy the machine was at one moment of a measurement.
///
/// Readings are reported beside the results and are never a reason to drop any. Source: measuring
/// §2.
public struct NoiseReading: Codable, Hashable, Sendable {
    /// Since the ``NoiseProbe`` was made.
    public var seconds: Double
    /// The time of the ``NoiseCanary``.
    public var canarySeconds: Double
    /// The time to write a page and force it to the disk; `nil` if that fails.
    public var syncSeconds: Double?
    /// The share of the machine's processor time that its host gave to others since the last
    /// reading; `nil` if the system does not report it.
    public var stolenShare: Double?

    public init(
        seconds: Double, canarySeconds: Double, syncSeconds: Double? = nil,
        stolenShare: Double? = nil
    ) {
        self.seconds = seconds
        self.canarySeconds = canarySeconds
        self.syncSeconds = syncSeconds
        self.stolenShare = stolenShare
    }
}

/// Takes readings. Each does a millisecond of work and writes a page to the disk.
public final class NoiseProbe {
    private var canary = NoiseCanary()
    private let watch = Stopwatch()
    private let file: Int32
    private let page = [UInt8](repeating: 0, count: 4_096)
    private var ticks = ProcessorTicks()

    /// - Parameter folder: on the disk to probe; a file is created there and unlinked.
    public init(folder: URL) {
        let path = folder.appendingPathComponent("noise-\(UUID().uuidString)").path
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        unlink(path)
    }

    deinit {
        if file >= 0 { close(file) }
    }

    public func read() -> NoiseReading {
        let before = ticks
        ticks = ProcessorTicks()
        return NoiseReading(
            seconds: watch.elapsedSeconds, canarySeconds: canary.read(), syncSeconds: sync(),
            stolenShare: ticks.stolenShare(since: before))
    }

    private func sync() -> Double? {
        let watch = Stopwatch()
        guard pwrite(file, page, page.count, 0) == page.count, fsync(file) == 0 else { return nil }
        return watch.elapsedSeconds
    }
}

/// Processor time since boot. Fields 1…8 of the first line of /proc/stat are user, nice, system,
/// idle, iowait, irq, softirq and steal (proc_stat(5)).
public struct ProcessorTicks {
    private let total: Double?
    private let stolen: Double?

    public init() {
        let line = SystemFile.text(of: "/proc/stat")?.split(separator: "\n").first
        let ticks = line?.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        let isWhole = ticks?.count == 8
        total = isWhole ? ticks?.reduce(0, +) : nil
        stolen = isWhole ? ticks?.last : nil
    }

    /// The share since boot.
    public var stolenShare: Double? { share(stolen, total) }

    public func stolenShare(since earlier: ProcessorTicks) -> Double? {
        guard let stolen, let total, let before = earlier.stolen, let totalBefore = earlier.total
        else { return nil }
        return share(stolen - before, total - totalBefore)
    }

    private func share(_ part: Double?, _ whole: Double?) -> Double? {
        guard let part, let whole, whole > 0 else { return nil }
        return part / whole
    }
}
