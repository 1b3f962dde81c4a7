"""The papers behind the formulas: their bibliographic data, in this one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper.

    Parameters
    ----------
    authors : tuple of str
        In the order of the paper, given names first.
    title, venue : str
    year : int
    pages, doi, url : str, optional
        Empty where there is none, or none is known.
    """

    authors: tuple[str, ...]
    title: str
    venue: str
    year: int
    pages: str = ""
    doi: str = ""
    url: str = ""

    @property
    def address(self) -> str:
        """Where it can be read: by its DOI, or else its URL.

        Examples
        --------
        >>> PAPERS["hopper"].address
        'https://doi.org/10.1145/2785956.2787481'
        """
        return f"https://doi.org/{self.doi}" if self.doi else self.url

    def cited(self) -> str:
        """Return the reference as a line of text.

        Examples
        --------
        >>> print(PAPERS["dolly"].cited().partition(":")[0])
        Ganesh Ananthanarayanan, Ali Ghodsi, Scott Shenker and Ion Stoica
        """
        *first, last = self.authors
        names = f"{', '.join(first)} and {last}" if first else last
        pages = f", pages {self.pages}" if self.pages else ""
        return f"{names}: {self.title}. {self.venue}, {self.year}{pages}."


#: Key -> paper, in the order of the pages about them.
PAPERS: dict[str, Paper] = {
    "hopper-note": Paper(
        ("Xiaoqi Ren", "Ganesh Ananthanarayanan", "Adam Wierman", "Minlan Yu"),
        "Speculation-aware Cluster Scheduling",
        "ACM SIGMETRICS Performance Evaluation Review 43(2)",
        2015,
        url="https://resolver.caltech.edu/CaltechAUTHORS:20151015-074525793",
    ),
    "hopper": Paper(
        ("Xiaoqi Ren", "Ganesh Ananthanarayanan", "Adam Wierman", "Minlan Yu"),
        "Hopper: Decentralized Speculation-aware Cluster Scheduling at Scale",
        "Proceedings of the ACM SIGCOMM Conference",
        2015,
        "379–392",
        doi="10.1145/2785956.2787481",
    ),
    "xu-lau": Paper(
        ("Huanle Xu", "Wing Cheong Lau"),
        "Optimization for Speculative Execution of Multiple Jobs in a MapReduce-like Cluster",
        "arXiv:1406.0609",
        2014,
        url="https://arxiv.org/abs/1406.0609",
    ),
    "aktas-soljanin": Paper(
        ("Mehmet Fatih Aktaş", "Emina Soljanin"),
        "Learning Effective Straggler Mitigation from Experience and Modeling",
        "NSF Public Access Repository 10112719",
        2019,
        url="https://par.nsf.gov/servlets/purl/10112719",
    ),
    "dolly": Paper(
        ("Ganesh Ananthanarayanan", "Ali Ghodsi", "Scott Shenker", "Ion Stoica"),
        "Why Let Resources Idle? Aggressive Cloning of Jobs with Dolly",
        "4th USENIX Workshop on Hot Topics in Cloud Computing (HotCloud)",
        2012,
        url="https://usenix.org/biblio/why-let-resources-idle-aggressive-cloning-jobs-dolly",
    ),
}
