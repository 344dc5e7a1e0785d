import ObjectGraph

public class LibraryTag: _LibraryTag {
    // modelgen has made this file once and will not write it again.
}
