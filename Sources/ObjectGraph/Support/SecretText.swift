/// A text that is not to be printed, such as an address with a password.
package struct SecretText: Sendable, Hashable {
    package let value: String

    package init(_ value: String) { self.value = value }
}

extension SecretText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
