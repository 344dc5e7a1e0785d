import Foundation
import Testing

@Suite struct `Generated files` {
    private static let typed =
        #"<entity name="Book"><attribute name="title" attributeType="String"/></entity>"#

    @Test func `an entity has a machine file and a human file, the model has one`() throws {
        let folder = try GeneratedFolder(Self.typed)
        let run = try folder.generate()

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(
            try folder.names
                == ["Book.swift", "ManagedObjectModel+myModel.swift", "_Book.swift"])
        #expect(try folder.text("_Book.swift").contains("public class _Book: ManagedObject {"))
        #expect(try folder.text("Book.swift").contains("public class Book: _Book {"))
    }

    @Test func `a human file is written once, also if it is moved to a folder below`() throws {
        let folder = try GeneratedFolder(Self.typed)
        try folder.generate()
        try FileManager.default.createDirectory(
            at: folder.output.appending(path: "Books"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            at: folder.output.appending(path: "Book.swift"),
            to: folder.output.appending(path: "Books/Book.swift"))
        try folder.write("// mine", to: "Books/Book.swift")
        try folder.generate()

        #expect(try folder.text("Books/Book.swift") == "// mine")
        #expect(try !folder.names.contains("Book.swift"))
    }

    @Test func `a machine file is written only when it changes`() throws {
        let folder = try GeneratedFolder(Self.typed)
        try folder.generate()
        let file = folder.output.appending(path: "_Book.swift").path
        let old = Date(timeIntervalSinceReferenceDate: 0)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file)

        #expect(try folder.generate().output == "3 files unchanged\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.modificationDate] as? Date == old)

        try folder.write(Self.typed.replacing("title", with: "name"))
        #expect(try folder.generate().output.contains("updated _Book.swift\n"))
        #expect(try folder.text("_Book.swift").contains("var name: String {"))
    }

    @Test func `the machine files of removed entities are listed and kept`() throws {
        let folder = try GeneratedFolder(Self.typed)
        try folder.generate()
        try folder.write(#"<entity name="Film"/>"#)
        try folder.write("// no entity's", to: "Other.swift")
        let run = try folder.generate()

        #expect(run.output.contains("_Book.swift belongs to no entity any more; delete it"))
        #expect(!run.output.contains("Other.swift"))
        #expect(try folder.names.contains("_Book.swift"))
    }

    @Test func `--check ends with 1 for files that are missing, out of date or obsolete`() throws {
        let folder = try GeneratedFolder(Self.typed)
        let missing = try folder.generate("--check")
        #expect(missing.exitCode == 1)
        #expect(missing.errors.contains("_Book.swift is missing; run modelgen without --check."))
        #expect(!FileManager.default.fileExists(atPath: folder.output.path))

        try folder.generate()
        #expect(try folder.generate("--check").exitCode == 0)

        try folder.write(Self.typed.replacing("title", with: "name"))
        let stale = try folder.generate("--check")
        #expect(stale.exitCode == 1 && stale.errors.contains("_Book.swift is out of date"))
        #expect(try folder.text("_Book.swift").contains("var title"))

        try folder.generate()
        try folder.write(#"<entity name="Film"/>"#)
        try folder.generate()
        let obsolete = try folder.generate("--check")
        #expect(obsolete.exitCode == 1 && obsolete.errors.contains("belongs to no entity"))
    }

    @Test func `a file that modelgen has not made is not replaced`() throws {
        let folder = try GeneratedFolder(Self.typed)
        try FileManager.default.createDirectory(
            at: folder.output, withIntermediateDirectories: true)
        try folder.write("class _Book {}", to: "_Book.swift")
        let run = try folder.generate()

        #expect(run.exitCode == 64 && run.errors.contains("was not made by modelgen"))
        #expect(try folder.names == ["_Book.swift"])
        #expect(try folder.text("_Book.swift") == "class _Book {}")
    }

    @Test func `classes are internal on request`() throws {
        let folder = try GeneratedFolder(Self.typed)
        try folder.generate("--internal")
        for name in try folder.names { #expect(try !folder.text(name).contains("public ")) }
    }

    @Test func `templates of a project replace the built-in ones`() throws {
        let folder = try GeneratedFolder(Self.typed)
        let templates = folder.temporary.url("templates")
        try FileManager.default.createDirectory(at: templates, withIntermediateDirectories: true)
        let file = templates.appending(path: "machine.stencil")
        try Data("{% for a in entity.attributes %}{{ a.name }}: {{ a.type }}{% endfor %}".utf8)
            .write(to: file)
        let run = try folder.generate("--templates", templates.path)

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try folder.text("_Book.swift").hasSuffix("\n\ntitle: String"))
        #expect(try folder.text("Book.swift").contains("class Book: _Book"))

        try Data("{% for %}".utf8).write(to: file)
        let broken = try folder.generate("--templates", templates.path)
        #expect(broken.exitCode == 64 && broken.errors.contains("machine.stencil: "))
        let missing = try folder.generate("--templates", folder.temporary.path("none"))
        #expect(missing.exitCode == 64 && missing.errors.contains("neither machine.stencil nor"))
    }

    // MARK: - Names

    @Test func `keywords and names of the engine compile without a warning`() throws {
        let names = [
            "class", "in", "default", "init_", "func", "Any", "get", "actor", "some", "each",
            "add", "all", "count", "find", "findFirst", "request", "value", "context", "willSave",
            "object", "index", "newValue", "été",
        ]
        let attributes = names.map {
            #"<attribute name="\#($0)" optional="YES" attributeType="String"/>"#
        }
        let constraints = names.map {
            #"<uniquenessConstraint><constraint value="\#($0)"/></uniquenessConstraint>"#
        }
        let relationships = names.map {
            """
            <relationship name="\($0)" optional="YES" toMany="YES" ordered="YES" \
            destinationEntity="Odd"/>
            """
        }
        let templates = names.map {
            #"<fetchRequest name="\#($0)" entity="Odd" predicateString="actor == $v\#($0)"/>"#
        }
        let folder = try GeneratedFolder(
            """
            <entity name="Odd">\(attributes.joined())
            <uniquenessConstraints>\(constraints.joined())</uniquenessConstraints></entity>
            <entity name="OddParent">\(relationships.joined())</entity>
            <entity name="Child" parentEntity="Odd"/>
            \(templates.joined())
            """)
        let run = try folder.generate()
        #expect(run.exitCode == 0, "\(run.errors)")

        let products = Bundle.main.executableURL!.deletingLastPathComponent()
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let moduleMaps = ["CSQLite", "CZlib"].flatMap { module in
            ["-Xcc", "-fmodule-map-file=\(package.path)/Sources/\(module)/module.modulemap"]
        }
        let compiler = try ModelgenProcess(
            URL(filePath: "/usr/bin/env"),
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors",
                "-parse-as-library", "-module-name", "Model", "-I",
                products.appending(path: "Modules").path,
            ] + moduleMaps + folder.names.map { folder.output.appending(path: $0).path })
        #expect(compiler.exitCode == 0, "\(compiler.errors)")
    }

    @Test(arguments: [
        (#"<entity name="1st"/>"#, 3, "1st: '1st' cannot be a name"),
        (
            """
            <entity name="Book">
                <attribute name="my name" attributeType="String"/></entity>
            """, 4, "Book.my name: 'my name' cannot be a name"
        ),
        (
            """
            <entity name="Film"><attribute name="self" attributeType="String"/></entity>
            <entity name="Book">
                <attribute name="a" attributeType="String"/>
                <relationship name="self" maxCount="1" optional="YES" destinationEntity="Film"/>
            </entity>
            """, 6, "Book.self: the generated class uses the name 'self' for something else"
        ),
        (
            """
            <entity name="Book">
                <attribute name="Type" attributeType="String"/></entity>
            """, 4, "Book.Type: the generated class uses the name 'Type'"
        ),
        (
            """
            <entity name="Book"/>
            <entity name="Film" representedClassName="Library.Book"/>
            """, 4, "Film: the entity 'Book' has the class 'Book' too"
        ),
        (#"<entity name="Date"/>"#, 3, "Date: a class 'Date' would hide a type"),
        (
            #"<entity name="Book" representedClassName="My Book"/>"#, 3,
            "Book: 'My Book' cannot be the name of a class"
        ),
        (#"<entity name="class"/>"#, 3, "class: 'class' cannot be the name of a class"),
        (
            """
            <entity name="Book">
                <attribute name="genre" attributeType="String"><userInfo>
                    <entry key="attributeValueScalarType" value="Genre { }; func f()"/>
                </userInfo></attribute></entity>
            """, 4, "Book.genre: the user info 'attributeValueScalarType' is 'Genre { }; func f()'"
        ),
        (
            """
            <entity name="Book">
                <attribute name="genre" attributeType="String"><userInfo>
                    <entry key="attributeValueScalarType" value="Int"/>
                </userInfo></attribute></entity>
            """, 4,
            "is 'Int', which is no type for an attribute of type string; it can be String or"
        ),
        (
            """
            <entity name="Book"/>
            <fetchRequest name="my books" entity="Book"/>
            """, 3, "Book: the request template 'my books' cannot be the name of a function"
        ),
        (
            """
            <entity name="Book">
                <relationship name="books" toMany="YES" destinationEntity="Book"/>
                <relationship name="Books" toMany="YES" destinationEntity="Book"/></entity>
            """, 4, "Book.books: the generated class uses the name 'books'"
        ),
    ])
    func `a name that Swift does not take is an error with file and line`(
        _ entities: String, _ line: Int, _ message: String
    ) throws {
        let folder = try GeneratedFolder(entities)
        let run = try folder.generate()

        #expect(run.exitCode == 64)
        #expect(run.errors.contains("My Model.xcdatamodel/contents:\(line): "), "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.output.path))
    }

    @Test func `public classes say what an enumeration needs, internal ones need nothing`() throws {
        let folder = try GeneratedFolder(
            """
            <entity name="Book">
                <attribute name="genre" attributeType="String"><userInfo>
                    <entry key="attributeValueScalarType" value="Genre"/>
                </userInfo></attribute></entity>
            """)
        let advice = "If 'Genre' is internal, make it public or run modelgen with --internal."

        #expect(try folder.generate().exitCode == 0)
        #expect(try folder.text("_Book.swift").contains(advice))
        #expect(try folder.generate("--internal").exitCode == 0)
        #expect(try !folder.text("_Book.swift").contains(advice))
    }

    @Test func `an attribute without a type is left to its key`() throws {
        let folder = try GeneratedFolder(
            #"<entity name="Book"><attribute name="a" transient="YES"/></entity>"#)
        try folder.generate()
        #expect(try folder.text("_Book.swift").contains("'a' has no type"))
    }

    @Test func `a composite attribute is a dictionary, or the type that the user info names`()
        throws
    {
        let folder = try GeneratedFolder(
            """
            <entity name="Place">
                <attribute name="a" optional="YES" attributeType="Composite" composite="Point"/>
                <attribute name="b" optional="YES" attributeType="Composite" composite="Point">
                    <userInfo><entry key="attributeValueClassName" value="Point"/></userInfo>
                </attribute>
            </entity>
            <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
            """)
        try folder.generate()
        let text = try folder.text("_Place.swift")
        #expect(text.contains(#"let a = Attribute<[String: AttributeValue]?>("a")"#))
        #expect(text.contains(#"let b = Composite<Point>("b")"#))
        #expect(text.contains("final var b: Point? {"))
        let model = try #require(try folder.names.first { $0.hasPrefix("ManagedObjectModel+") })
        #expect(
            try folder.text(model).contains(
                #"elements: [AttributeDescription("x", .double, isOptional: false)]"#))
    }
}
