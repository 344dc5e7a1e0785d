import Foundation
import Measuring
import RunRecords

/// The terminal that a stream goes to.
public enum Terminal {
    /// The width in characters of the one for standard output; `nil` if it is none.
    public static var width: Int? { width(of: STDOUT_FILENO) }

    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0,
            size.ws_col > 0
        else { return nil }
        return Int(size.ws_col)
    }
}
