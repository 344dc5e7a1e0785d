import Foundation

/// An error of the engine for which Core Data has a code (spec §5.6). Its `localizedDescription` is
/// its description.
public protocol CodedError: LocalizedError, CustomStringConvertible {
    /// Core Data's code in its own domain.
    var code: Int { get }
}

extension CodedError {
    public var errorDescription: String? { description }
}
