import Foundation

/// The author and the context of a change. A history also has the program and the time.
package struct ChangeOrigin: Sendable {
    package var author: String?
    package var contextName: String?

    // The history names programs by these.
    package static let processName = ProcessInfo.processInfo.processName
    package static let bundleIdentifier = Bundle.main.bundleIdentifier ?? processName
}
