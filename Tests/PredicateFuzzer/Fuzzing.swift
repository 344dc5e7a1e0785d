/// The entry of a program that libFuzzer drives. A crash, a hang or a leak is a finding; errors
/// that are thrown are not.
enum Fuzzing {
    /// Passes the program's arguments to libFuzzer, which calls `check` with its inputs.
    static func run() {
        var count = CommandLine.argc
        withUnsafeMutablePointer(to: &count) { count in
            withUnsafeTemporaryAllocation(of: Arguments.self, capacity: 1) { arguments in
                arguments.initializeElement(at: 0, to: CommandLine.unsafeArgv)
                _ = runDriver(count, arguments.baseAddress!, checkInput)
            }
        }
    }

    fileprivate typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
}

/// libFuzzer's library also has a `main`, which calls the function with this name.
@_cdecl("LLVMFuzzerTestOneInput")
func checkInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(UnsafeBufferPointer(start: bytes, count: count))
    return 0
}

/// libFuzzer's own entry, for programs that have a `main` (LLVM documentation, "Using libFuzzer as
/// a library").
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<Fuzzing.Arguments>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
