import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Versions of a model file (§1.13)` {
    private let folder = ModelFolder()
    private var group: URL { folder.temporary.url("Library.xcdatamodeld") }

    private func writeVersions(_ names: String...) throws {
        for name in names {
            try folder.writeVersion(
                "Library.xcdatamodeld/\(name).xcdatamodel",
                #"<entity name="\#(name.filter(\.isLetter))"/>"#)
        }
    }

    /// The name of the only entity of a version.
    private func entity(ofVersion version: String? = nil) throws -> String {
        let model = try ManagedObjectModel(contentsOf: group, version: version)
        return try #require(model.entitiesByName.keys.first)
    }

    @Test(arguments: ["Two", "Model 2", "Modèle 2.1", "Model 📚", "a.b"])
    func `the marked version is the current one (§1.13.1)`(_ name: String) throws {
        try writeVersions("One", name)
        try folder.mark("\(name).xcdatamodel", in: "Library.xcdatamodeld")
        #expect(try ModelFile(group).currentVersion == name)
        #expect(try entity() == name.filter(\.isLetter))
    }

    @Test func `a single version needs no mark (§1.13.1)`() throws {
        try writeVersions("One")
        #expect(try entity() == "One")
        let empty = try PropertyListSerialization.data(
            fromPropertyList: [String: String](), format: .xml, options: 0)
        try folder.write(empty, to: "Library.xcdatamodeld/.xccurrentversion")
        #expect(try entity() == "One")
    }

    @Test func `a version is read by its name (§1.13.1)`() throws {
        try writeVersions("One", "Two")
        try folder.mark("Two.xcdatamodel", in: "Library.xcdatamodeld")
        #expect(try entity(ofVersion: "One") == "One")
        #expect(try entity(ofVersion: "One.xcdatamodel") == "One")
    }

    @Test func `all versions are listed, sorted by the numbers in their names (§1.13.1)`() throws {
        try writeVersions("Model 10", "Model", "Model 2")
        let file = try ModelFile(group)
        #expect(file.versions == ["Model", "Model 2", "Model 10"])
        #expect(file.currentVersion == nil)
        #expect(file.url == group)
    }

    @Test func `several versions need a mark or a name (§1.13.1)`() throws {
        try writeVersions("One", "Two")
        #expect(throws: ModelFileError(.noCurrentVersion(versions: ["One", "Two"]), file: group)) {
            _ = try entity()
        }
    }

    @Test func `a version that does not exist is an error (§1.13.1)`() throws {
        try writeVersions("One", "Two")
        let unknown = ModelFileError(
            .unknownVersion("Three", versions: ["One", "Two"]), file: group)
        #expect(throws: unknown) { _ = try entity(ofVersion: "Three") }
        try folder.mark("Three.xcdatamodel", in: "Library.xcdatamodeld")
        #expect(throws: unknown) { _ = try entity() }
    }

    @Test func `a mark that is not a property list is an error (§1.13.1)`() throws {
        try writeVersions("One", "Two")
        let mark = try folder.write("Two", to: "Library.xcdatamodeld/.xccurrentversion")
        let error = try #require(throws: ModelFileError.self) { _ = try entity() }
        #expect(error.file?.path == mark.path)
        #expect(error.code == 259)
    }

    @Test func `a folder of one version is a model (§1.13.2)`() throws {
        try folder.writeVersion("Ships 2.xcdatamodel", #"<entity name="Ship"/>"#)
        let url = folder.temporary.url("Ships 2.xcdatamodel")
        #expect(try ModelFile(url).versions == ["Ships 2"])
        #expect(try ModelFile(url).currentVersion == "Ships 2")
        #expect(try ManagedObjectModel(contentsOf: url).entitiesByName.keys.sorted() == ["Ship"])
        let text = url.appending(path: "contents")
        #expect(try ManagedObjectModel(contentsOf: text).entitiesByName.keys.sorted() == ["Ship"])
        #expect(throws: ModelFileError.self) {
            _ = try ManagedObjectModel(contentsOf: url, version: "Ships")
        }
    }
}
