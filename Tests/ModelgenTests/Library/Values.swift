/// The types of attributes that the model names in the user info.
public enum Genre: Int, Sendable {
    case novel = 1
    case poem = 2
}

public struct Cover: Codable, Hashable, Sendable {
    var colour: String
}

public struct Stamp: Hashable, Sendable {
    var code: UInt8
}
