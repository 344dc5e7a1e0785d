import Foundation

/// Lines for the user on standard error; standard output has results only.
enum StandardError {
    static func print(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
