import Foundation

@testable import ObjectGraph

/// The text of a mapping file, as Xcode's editor writes it.
enum MappingText {
    /// The objects begin on line 4.
    static func document(
        _ objects: String,
        type: String =
            #"<!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">"#
    ) -> String {
        """
        <?xml version="1.0"?>
        \(type)
        <database>
        <databaseInfo><version>134481920</version><metadata><plist version="1.0"><dict/></plist></metadata></databaseInfo>
        \(objects)</database>
        """.replacing("</databaseInfo>\n", with: "</databaseInfo>")
    }

    static func object(
        _ type: String, _ id: String, _ attributes: [(String, String?)],
        _ relationships: [(String, String?)] = []
    ) -> String {
        let values = attributes.compactMap { name, value in
            value.map { "<attribute name=\"\(name)\" type=\"string\">\($0)</attribute>" }
        }
        let references = relationships.map { name, ids in
            "<relationship name=\"\(name)\" type=\"0/0\" destination=\"X\"\(ids.map { " idrefs=\"\($0)\"" } ?? "")/>"
        }
        return
            "<object type=\"\(type)\" id=\"\(id)\">\((values + references).joined())</object>\n"
    }

    static func model(_ entities: String, id: String = "z1") -> String {
        object(
            "XDDEVMAPPINGMODEL", id, [("sourcemodelpath", "Old/App.xcdatamodel")],
            [("entitymappings", entities.isEmpty ? nil : entities)])
    }

    static func entity(
        _ id: String, number: Int = 0, from source: String?, to destination: String,
        name: String? = nil, policy: String? = "", attributes: String? = nil,
        relationships: String? = nil
    ) -> String {
        object(
            "XDDEVENTITYMAPPING", id,
            [
                ("name", name), ("sourcename", source), ("destinationname", destination),
                ("migrationpolicyclassname", policy), ("mappingnumber", "\(number)"),
                ("mappingtypename", "Undefined"), ("autogenerateexpression", "1"),
            ],
            [
                ("attributemappings", attributes), ("relationshipmappings", relationships),
                ("mappingmodel", "z1"),
            ])
    }

    static func attribute(
        _ id: String, _ name: String?, expression: ArchivedPart? = nil
    ) -> String {
        object(
            "XDDEVATTRIBUTEMAPPING", id,
            [("name", name), ("valueexpressiondata", expression.map(text))])
    }

    static func relationship(
        _ id: String, _ name: String, expression: ArchivedPart? = nil, keyPath: String? = nil,
        mapping: String? = nil
    ) -> String {
        object(
            "XDDEVRELATIONSHIPMAPPING", id,
            [
                ("name", name), ("valueexpressiondata", expression.map(text)),
                ("sourcekeypath", keyPath), ("sourcemappingname", mapping),
            ])
    }

    /// Base 64 with line breaks.
    private static func text(_ part: ArchivedPart) -> String {
        part.archived().base64EncodedString(options: [.lineLength64Characters])
    }

    // MARK: - Expressions

    static func constant(_ value: ArchivedPart) -> ArchivedPart {
        .node("NSConstantValueExpression", [("NSConstantValue", value)])
    }

    static func variable(_ name: String) -> ArchivedPart {
        .node("NSVariableExpression", [("NSVariable", .text(name))])
    }

    static func path(_ path: String) -> ArchivedPart {
        .node(
            "NSKeyPathExpression",
            [
                ("NSOperand", variable("source")), ("NSSelectorName", "valueForKeyPath:"),
                (
                    "NSArguments",
                    .list([
                        .node("NSKeyPathSpecifierExpression", [("NSKeyPath", .text(path))])
                    ])
                ),
            ])
    }

    static func function(
        _ variable: String, _ name: String, _ arguments: [ArchivedPart]
    ) -> ArchivedPart {
        .node(
            "NSFunctionExpression",
            [
                ("NSOperand", self.variable(variable)), ("NSSelectorName", .text(name)),
                ("NSArguments", .list(arguments)),
            ])
    }
}
