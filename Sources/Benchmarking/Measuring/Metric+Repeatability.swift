/// How far a figure is the same when the same program runs again.
public enum Repeatability: Hashable, Sendable {
    /// The same but for this share, 0 for exactly; held against the base without any statistics.
    /// Source: instrument §2.4, tier 0.
    case exact(tolerance: Double)
    /// Depends on how threads happened to be scheduled: reported, never judged.
    case scheduled
    /// A time, or memory: judged by many pairs only.
    case measured
}
