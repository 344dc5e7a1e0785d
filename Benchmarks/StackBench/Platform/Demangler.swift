import Foundation

/// Swift's names as they are written in the source.
///
/// Elsewhere: the same on Apple's systems.
enum Demangler {
    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
            UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// A function of Swift's runtime (`swift/Demangling/Demangle.h`); nil if it is not linked.
    private static let demangle: Demangle? = {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_demangle") else { return nil }
        return unsafeBitCast(symbol, to: Demangle.self)
    }()

    /// The name itself if it is not of Swift.
    static func text(of name: String) -> String {
        guard let result = demangle?(name, name.utf8.count, nil, nil, 0) else { return name }
        defer { free(result) }
        return String(cString: result)
    }
}
