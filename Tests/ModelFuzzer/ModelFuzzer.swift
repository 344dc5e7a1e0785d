import Foundation

@testable import ObjectGraph

/// Passes libFuzzer's inputs to the readers of models: the text of a model file or of a mapping
/// file, a keyed archive, or a compressed archive.
///
/// `scripts/fuzz` builds and runs it. What is read is printed and archived, and must be read from
/// both as an equal model.
@main
enum ModelFuzzer {
    static func main() { Fuzzing.run() }
}

func check(_ input: UnsafeBufferPointer<UInt8>) {
    let data = Data(input)
    let archiveMagic = BinaryPropertyList.magic.utf8
    if data.first == UInt8(ascii: "<") {
        _ = try? MappingFile(data, of: URL(filePath: "/mapping"))
    }
    let isFile = data.starts(with: archiveMagic) || data.first == UInt8(ascii: "<")
    guard
        let model = try? isFile
            ? ManagedObjectModel(file: data, into: draft)
            : ManagedObjectModel(cached: data, into: draft)
    else { return }
    let text = try? model.xcdatamodelContents()
    if let text { expect(model, text, Data(text.utf8), "text") }
    expect(model, text, ModelArchiveWriter.archive(model), "archive")
}

private let draft = ModelDraft(of: URL(filePath: "/model"), classes: [], transformers: [])

/// Reads a printed or archived model and compares it with the original.
private func expect(_ model: ManagedObjectModel, _ text: String?, _ data: Data, _ form: String) {
    guard let read = try? ManagedObjectModel(file: data, into: draft) else {
        fatalError("the \(form) cannot be read")
    }
    precondition(
        read.entityVersionHashesByName == model.entityVersionHashesByName, "\(form): other hashes")
    precondition((try? read.xcdatamodelContents()) == text, "\(form): another text")
}
