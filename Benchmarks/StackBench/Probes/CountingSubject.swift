/// A subject with counters that are equal for equal work.
protocol CountingSubject {
    /// The counts since the last reset, by ``Metric/name``: statements, rowsRead, faultsFired and
    /// others.
    var counters: [String: Int64] { get }
    func resetCounters()
    /// Waits for work that the subject started, such as merges into a view. Without it, scheduling
    /// would decide whether that work is counted.
    func settle()
}

extension CountingSubject {
    func settle() {}
}
