import Foundation
import Testing

@testable import ObjectGraph

private final class Ship: ManagedObject, PredicateProperties {
    static let nameAttribute = Attribute<String?>("name")
    static let tonsAttribute = Attribute<Int>("tons")

    var name: String? { self[Self.nameAttribute] }
    var tons: Int { self[Self.tonsAttribute] }
    var port: Port? { self[ToOne<Port>("port")] }

    static var propertyNames: [AnyKeyPath: String] {
        [\Ship.name: "name", \Ship.tons: "tons", \Ship.port: "port"]
    }
}

private final class Port: ManagedObject, PredicateProperties {
    var name: String { self[Attribute<String>("name")] }
    var ships: Set<Ship> { self[ToMany<Ship>("ships")] }
    var nickname: String { name }

    static var propertyNames: [AnyKeyPath: String] {
        [\Port.name: "name", \Port.ships: "ships"]
    }
}

@Suite struct `Foundation's predicates (§7.2)` {
    private func check<Object: PredicateProperties>(
        _ predicate: Foundation.Predicate<Object>, _ format: String
    ) throws {
        let converted = try ObjectPredicate(predicate)
        #expect(converted.predicateFormat == format)
    }

    @Test func `comparisons and logic`() throws {
        let least = 5
        try check(#Predicate<Ship> { $0.tons > least }, "tons > 5")
        try check(
            #Predicate<Ship> { $0.tons == 1 && $0.name == "x" || !($0.name != nil) },
            #"tons == 1 AND name == "x" OR NOT name != NULL"#)
        try check(
            #Predicate<Ship> { ($0.name ?? "") == "x" }, #"TERNARY(name == NULL, "", name) == "x""#)
        try check(#Predicate<Ship> { $0.port?.name == "x" }, #"port.name == "x""#)
        try check(#Predicate<Ship> { (1...3).contains($0.tons) }, "tons BETWEEN {1, 3}")
        try check(#Predicate<Ship> { [1, 3].contains($0.tons) }, "tons IN {1, 3}")
        try check(#Predicate<Ship> { $0.tons * 2 + 1 == -$0.tons }, "tons * 2 + 1 == 0 - tons")
        try check(#Predicate<Ship> { _ in true }, "TRUEPREDICATE")
    }

    @Test func `strings and relationships`() throws {
        try check(#Predicate<Port> { $0.name.contains("x") }, #"name CONTAINS "x""#)
        try check(#Predicate<Port> { $0.name.starts(with: "x") }, #"name BEGINSWITH "x""#)
        try check(#Predicate<Port> { $0.ships.count > 1 }, "ships.@count > 1")
        try check(#Predicate<Port> { $0.ships.isEmpty }, "ships.@count == 0")
        try check(
            #Predicate<Port> { $0.ships.contains { $0.tons > 1 } },
            "SUBQUERY(ships, $v1, $v1.tons > 1).@count > 0")
        try check(
            #Predicate<Port> { $0.ships.allSatisfy { $0.tons > 1 } },
            "SUBQUERY(ships, $v1, NOT $v1.tons > 1).@count == 0")
        try check(
            #Predicate<Port> { $0.ships.filter { $0.tons > 1 }.count == 2 },
            "SUBQUERY(ships, $v1, $v1.tons > 1).@count == 2")
    }

    @Test func `a key path without a name is refused`() {
        #expect(throws: PredicateConversionError.self) {
            try ObjectPredicate(#Predicate<Port> { $0.nickname == "x" })
        }
    }
}
