import Foundation
import TestSupport

@testable import ObjectGraph

/// A temporary folder with model files.
struct ModelFolder {
    let temporary = TemporaryFolder()

    /// Writes a file, and the folders that it needs.
    @discardableResult
    func write(_ data: Data, to path: String) throws -> URL {
        let file = temporary.url(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file
    }

    @discardableResult
    func write(_ text: String, to path: String) throws -> URL {
        try write(Data(text.utf8), to: path)
    }

    /// Writes a version, with one entity unless given others.
    func writeVersion(
        _ path: String, _ content: String = #"<entity name="Thing"/>"#
    ) throws {
        try write(Self.document(content), to: "\(path)/contents")
    }

    /// Marks a version as the current one.
    func mark(_ name: String, in group: String) throws {
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": name], format: .xml, options: 0)
        try write(list, to: "\(group)/.xccurrentversion")
    }

    /// The text of a model file whose content begins on line 3.
    static func document(_ content: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        lastSavedToolsVersion="22758" systemVersion="23E224" minimumToolsVersion="Automatic" \
        sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
        \(content)
        </model>
        """
    }

    /// An entity with two names, two numbers and two relationships, and the given elements.
    static func entity(with xml: String) -> String {
        """
        <entity name="Thing">
            <attribute name="first" optional="YES" attributeType="String"/>
            <attribute name="last" optional="YES" attributeType="String"/>
            <attribute name="x" attributeType="Float"/>
            <attribute name="y" attributeType="Float"/>
            <relationship name="owner" maxCount="1" destinationEntity="Thing" \
        inverseName="owned" inverseEntity="Thing"/>
            <relationship name="owned" toMany="YES" destinationEntity="Thing" \
        inverseName="owner" inverseEntity="Thing"/>
        \(xml)
        </entity>
        """
    }

    /// The model of a text that has these elements.
    static func model(
        _ content: String, classes: [AnyClass] = [], transformers: [ValueTransformer] = []
    ) throws(ModelFileError) -> ManagedObjectModel {
        try model(ofText: document(content), classes: classes, transformers: transformers)
    }

    static func model(
        ofText text: String, classes: [AnyClass] = [], transformers: [ValueTransformer] = []
    ) throws(ModelFileError) -> ManagedObjectModel {
        let folder = ModelFolder()
        let file = folder.temporary.url("Model.xcdatamodel/contents")
        guard (try? folder.write(text, to: "Model.xcdatamodel/contents")) != nil else {
            preconditionFailure("cannot write \(file.path)")
        }
        return try ManagedObjectModel(
            contentsOf: file.deletingLastPathComponent(), classes: classes,
            transformers: transformers)
    }

    /// The error of a text that has these elements; nil if it can be read.
    static func error(_ content: String) -> ModelFileError? {
        do {
            _ = try model(content)
            return nil
        } catch { return error }
    }
}

extension ManagedObjectModel {
    /// What differs from another model, as sentences.
    func differences(from other: ManagedObjectModel) -> [String] {
        var differences: [String] = []
        func compare<Value: Equatable>(_ path: KeyPath<EntityDescription, Value>, _ name: String) {
            for (key, first) in entitiesByName {
                guard let second = other.entitiesByName[key] else { continue }
                if first[keyPath: path] != second[keyPath: path] {
                    differences.append(
                        "\(key).\(name): \(first[keyPath: path]), \(second[keyPath: path])")
                }
            }
        }
        if entitiesByName.keys != other.entitiesByName.keys { differences.append("entities") }
        compare(\.managedObjectClassName, "class")
        compare(\.superentity, "superentity")
        compare(\.isAbstract, "isAbstract")
        compare(\.attributes, "attributes")
        compare(\.relationships, "relationships")
        compare(\.fetchedProperties.described, "fetched properties")
        compare(\.uniquenessConstraints, "constraints")
        compare(\.indexes, "indexes")
        compare(\.renamingIdentifier, "old name")
        compare(\.userInfo, "user info")
        compare(\.versionHashModifier, "modifier")
        if configurations != other.configurations { differences.append("configurations") }
        if versionIdentifiers != other.versionIdentifiers { differences.append("identifiers") }
        if fetchRequestTemplatesByName != other.fetchRequestTemplatesByName {
            differences.append("templates")
        }
        if entityVersionHashesByName != other.entityVersionHashesByName {
            differences.append("version hashes")
        }
        return differences
    }
}

extension [FetchedPropertyDescription] {
    fileprivate var described: [DescribedProperty] {
        map { DescribedProperty(name: $0.name, request: $0.request, userInfo: $0.userInfo) }
    }
}

private struct DescribedProperty: Equatable {
    let name: String
    let request: FetchRequest
    let userInfo: [String: String]
}
