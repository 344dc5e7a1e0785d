import Foundation

/// What workers need before they can begin: the part of the data set that is worked on, and stores
/// that hold it. Each is made once, when first needed, and shared by all cells.
final class Preparation {
    /// - Parameter folder: where stores lie; made here and removed by ``remove()``.
    /// - Parameter timeout: after it a worker is taken for hung.
    init(folder: URL, timeout: Duration) {}

    /// Removes all stores.
    func remove() {}
}
